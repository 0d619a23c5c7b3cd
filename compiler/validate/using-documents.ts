import { append } from '../append.js';
import { listPremises } from '../ast/premises.js';
import type { Expr } from '../../packages/cel/ast/expr.js';
import type { Constants, Expression, PolicyFile, Variables } from '../ast/policy.js';
import type { Bindings, LinkedInvariants, LinkedPolicy, PolicySet } from '../ast/policy-set.js';
import { children } from '../../packages/cel/ast/visit.js';
import { expressionsOfCondition, expressionsOfRules, collectImportedRoles } from './expressions-of.js';

/** A document that can have variables and constants, with those that its conditions and outputs use. */
export interface UsingDocument {
  readonly file: PolicyFile;
  readonly variables: Variables;
  readonly constants: Constants;
  readonly uses: Uses;
}

/** The variables and constants that are used. A reference to `V` or `C` as a whole uses all of them. */
export interface Uses {
  variable(name: string): boolean;
  constant(name: string): boolean;
  /** Whether at least one of the names is used. */
  oneVariable(names: ReadonlySet<string>): boolean;
  oneConstant(names: ReadonlySet<string>): boolean;
}

/** Returns every executable policy, every imported set of derived roles once, and every document of invariants. */
export function listUsingDocuments({ policies, invariants }: PolicySet): readonly UsingDocument[] {
  return [
    ...policies.map((linked) => makeDocument(linked, expressionsOfRules(linked))),
    ...ofRoleSets(policies),
    ...invariants.map((linked) => makeDocument(linked, listPremises(linked.policy).flatMap(expressionsOfCondition))),
  ];
}

function makeDocument(
  { file, policy: { variables, constants }, bindings }: LinkedPolicy | LinkedInvariants,
  roots: readonly Expression[],
): UsingDocument {
  return { file, variables, constants, uses: collectUses(roots, bindings) };
}

function ofRoleSets(policies: readonly LinkedPolicy[]): readonly UsingDocument[] {
  const documents = new Map<PolicyFile, { readonly bindings: Bindings; readonly roots: Expression[] }>();
  for (const { file, bindings, definition } of collectImportedRoles(policies)) {
    const document = documents.get(file) ?? { bindings, roots: [] };
    append(document.roots, expressionsOfCondition(definition.condition));
    documents.set(file, document);
  }
  return [...documents].flatMap(([file, { bindings, roots }]) => {
    if (file.policy.kind !== 'derived-roles') return [];
    const { variables, constants } = file.policy;
    return [{ file, variables, constants, uses: collectUses(roots, bindings) }];
  });
}

/**
 * What expressions use, directly and through variables
 * (docs/spec/policy-language.md#compiling-variables-and-constants). Every mention counts as a use here, including
 * `V.?x`.
 */
function collectUses(roots: readonly Expression[], bindings: Bindings): Uses {
  const variables = new Set<string>();
  const constants = new Set<string>();
  const pending = [...roots];
  for (let expression = pending.pop(); expression !== undefined; expression = pending.pop()) {
    const mentioned = collectMentions(expression);
    for (const name of mentioned.constants) constants.add(name);
    for (const name of mentioned.variables.has(EVERYTHING) ? bindings.variables.keys() : mentioned.variables) {
      const variable = variables.has(name) ? undefined : bindings.variables.get(name);
      variables.add(name);
      if (variable !== undefined) pending.push(variable.expression);
    }
  }
  return {
    variable: (name) => variables.has(name),
    constant: (name) => constants.has(EVERYTHING) || constants.has(name),
    oneVariable: (names) => [...variables].some((name) => names.has(name)),
    oneConstant: (names) =>
      (constants.has(EVERYTHING) && names.size > 0) || [...constants].some((name) => names.has(name)),
  };
}

/** Represents a reference to `V` or `C` as a whole; not a valid variable name. */
const EVERYTHING = '*';

interface Mentions {
  readonly variables: ReadonlySet<string>;
  readonly constants: ReadonlySet<string>;
}

function collectMentions({ ast }: Expression): Mentions {
  if (ast === undefined) return { variables: new Set(), constants: new Set() };
  const known = cache.get(ast) ?? findMentions(ast);
  cache.set(ast, known);
  return known;
}

// Several warnings need this, and equal expressions share their tree; trees never change, and entries are collected
// with them.
const cache = new WeakMap<Expr, Mentions>();

function findMentions(ast: Expr): Mentions {
  const variables = new Set<string>();
  const constants = new Set<string>();
  const pending: Expr[] = [ast];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    const root = node.kind === 'select' ? node.operand : node;
    const found =
      root.kind === 'ident'
        ? VARIABLES.has(root.name)
          ? variables
          : CONSTANTS.has(root.name)
            ? constants
            : undefined
        : undefined;
    if (found === undefined) append(pending, children(node));
    else found.add(node.kind === 'select' ? node.field : EVERYTHING);
  }
  return { variables, constants };
}

const VARIABLES: ReadonlySet<string> = new Set(['V', 'variables']);
const CONSTANTS: ReadonlySet<string> = new Set(['C', 'constants']);
