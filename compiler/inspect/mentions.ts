import { append } from '../append.js';
import type { Expr } from '../../packages/cel/ast/expr.js';
import { importKey } from '../ast/names.js';
import type { Expression, JsonValue } from '../ast/policy.js';
import type { Catalogue } from '../link/catalogue.js';
import { linkConstants, type Definition, type Importer, linkVariables } from '../link/bindings.js';
import { type References, collectReferences } from '../link/references.js';
import { expressionsOfRules } from './document.js';

/** The names a document can use, and those that it reads. */
export interface Mentions {
  readonly variables: Mentioned<Expression>;
  readonly constants: Mentioned<JsonValue>;
}

/** Its variables, or its constants. */
export interface Mentioned<T> {
  /** Imported ones, then local ones; a name that is defined twice appears twice. */
  readonly defined: readonly Definition<T>[];
  /** The names that conditions and outputs read, directly or through other variables. */
  readonly used: ReadonlySet<string>;
  /** The names that are read but not defined. */
  readonly missing: ReadonlySet<string>;
  /** Whether an imported set does not exist. */
  readonly lacksImport: boolean;
}

/**
 * The names a document can use, through its imports and its own definitions, and those of them that it reads
 * (docs/spec/policy-language.md#compiling-variables-and-constants).
 */
export function findMentions(file: Importer, catalogue: Catalogue): Mentions {
  const variables = linkVariables(file, catalogue);
  const constants = linkConstants(file, catalogue);
  const used = reached(expressionsOfRules(file.policy), variables);
  const all = reached([...expressionsOfRules(file.policy), ...variables.map(({ value }) => value)], variables);
  const lacks = (
    kind: 'export_variables' | 'export_constants',
    imports: Importer['policy']['variables']['imports'],
  ): boolean => imports.some(({ value }) => catalogue.find(importKey(kind, value)) === undefined);
  return {
    variables: {
      ...mentioned(variables, used.variables, all.variables),
      lacksImport: lacks('export_variables', file.policy.variables.imports),
    },
    constants: {
      ...mentioned(constants, used.constants, all.constants),
      lacksImport: lacks('export_constants', file.policy.constants.imports),
    },
  };
}

function mentioned<T>(
  defined: readonly Definition<T>[],
  used: ReadonlySet<string>,
  all: ReadonlySet<string>,
): Omit<Mentioned<T>, 'lacksImport'> {
  const known = new Set(defined.map(({ name }) => name.value));
  return { defined, used, missing: new Set([...all].filter((name) => !known.has(name))) };
}

type Names = { readonly [K in keyof References]: ReadonlySet<string> };

/** The names that expressions read, directly or through variables. Cycles are harmless. */
function reached(expressions: readonly Expression[], definitions: readonly Definition<Expression>[]): Names {
  const byName = new Map<string, Expression[]>();
  for (const { name, value } of definitions) byName.set(name.value, [...(byName.get(name.value) ?? []), value]);
  const variables = new Set<string>();
  const constants = new Set<string>();
  const pending: Expression[] = [...expressions];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const references = readBy(next.ast);
    for (const name of references.constants.keys()) constants.add(name);
    for (const name of references.variables.keys()) {
      if (variables.has(name)) continue;
      variables.add(name);
      append(pending, byName.get(name) ?? []);
    }
  }
  return { variables, constants };
}

/** An expression that does not parse reads no names. */
function readBy(ast: Expr | undefined): References {
  return ast === undefined ? { variables: new Map(), constants: new Map() } : collectReferences(ast);
}
