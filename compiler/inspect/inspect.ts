import { RE2JS, RE2JSException } from 're2js';
import { isTooLarge } from '../../packages/cel/runtime/index.js';
import type { Expr } from '../../packages/cel/ast/expr.js';
import { importKey, makePolicyKey } from '../ast/names.js';
import type { Expression, JsonValue, PolicyFile } from '../ast/policy.js';
import { visit } from '../../packages/cel/ast/visit.js';
import { Diagnostics } from '../diagnostics/diagnostic.js';
import type { Definition } from '../link/bindings.js';
import { type Catalogue, makeCatalogue, hasKind } from '../link/catalogue.js';
import { listActions, expressionsOfRules, isImporter, readNames } from './document.js';
import type {
  InspectedAttribute,
  InspectedBinding,
  InspectedDerivedRole,
  InspectedPolicy,
} from './inspected-policy.js';
import { type Mentioned, type Mentions, findMentions } from './mentions.js';

/**
 * What each document mentions: actions, attributes, derived roles, variables and constants
 * (docs/spec/server.md#inspect). Sorted by id. The policies need not compile: undefined names are listed as undefined.
 * Imports resolve to enabled documents; of two with the same id, to the first by path.
 *
 * @param files the files that parsed, including disabled ones.
 */
export function inspect(files: readonly PolicyFile[]): readonly InspectedPolicy[] {
  const catalogue = makeCatalogue(
    files.filter(({ disabled }) => !disabled),
    new Diagnostics(),
  );
  const mentions = new Map(files.filter(isImporter).map((file) => [file as PolicyFile, findMentions(file, catalogue)]));
  const usedDefinitions = definitionsInUse(mentions);
  return files
    .map((file) => {
      const mentioned = mentions.get(file);
      const bindings = mentioned === undefined ? listExports(file, usedDefinitions) : listBindings(file, mentioned);
      return {
        policyId: makePolicyKey(file.policy),
        file: file.source.path,
        disabled: file.disabled,
        ...readNames(file.policy),
        actions: [...new Set(listActions(file.policy))].sort(),
        attributes: attributesIn(file, mentioned),
        derivedRoles: listDerivedRoles(file, catalogue),
        ...bindings,
      };
    })
    .sort((a, b) => compare(a.policyId, b.policyId) || compare(a.file, b.file));
}

type Bindings = Pick<InspectedPolicy, 'variables' | 'constants'>;

/**
 * The definitions that some enabled document uses, by their syntax tree objects, which all importing documents share.
 */
function definitionsInUse(mentions: ReadonlyMap<PolicyFile, Mentions>): ReadonlySet<unknown> {
  const inUse = new Set<unknown>();
  for (const [file, { variables, constants }] of mentions) {
    if (file.disabled) continue;
    for (const definition of [...listUsed(variables), ...listUsed(constants)]) inUse.add(definition.name);
  }
  return inUse;
}

function listUsed<T>({ defined, used }: Mentioned<T>): readonly Definition<T>[] {
  return defined.filter(({ name }) => used.has(name.value));
}

function listExports(file: PolicyFile, inUse: ReadonlySet<unknown>): Bindings {
  const source = makePolicyKey(file.policy);
  const kind = 'KIND_EXPORTED';
  if (hasKind(file, 'export-variables')) {
    return {
      constants: [],
      variables: byName(
        file.policy.definitions.map(({ name, expression }) => ({
          name: name.value,
          kind,
          value: expression.text,
          source,
          used: inUse.has(name),
        })),
      ),
    };
  }
  if (hasKind(file, 'export-constants')) {
    return {
      variables: [],
      constants: byName(
        file.policy.definitions.map(({ name, value }) => ({
          name: name.value,
          kind,
          value: value.value,
          source,
          used: inUse.has(name),
        })),
      ),
    };
  }
  return { variables: [], constants: [] };
}

function listBindings(file: PolicyFile, { variables, constants }: Mentions): Bindings {
  return {
    variables: makeList(file, variables, ({ text }: Expression) => text),
    constants: makeList(file, constants, (value: JsonValue) => value),
  };
}

function makeList<T, V>(
  file: PolicyFile,
  { defined, used, missing, lacksImport }: Mentioned<T>,
  valueOf: (value: T) => V,
): readonly InspectedBinding<V>[] {
  return byName([
    ...defined.map(({ name, value, file: from }) => ({
      name: name.value,
      kind: from === file ? ('KIND_LOCAL' as const) : ('KIND_IMPORTED' as const),
      value: valueOf(value),
      source: makePolicyKey(from.policy),
      used: used.has(name.value),
    })),
    ...[...missing].map((name) => ({
      name,
      kind: lacksImport ? ('KIND_UNKNOWN' as const) : ('KIND_UNDEFINED' as const),
      used: used.has(name),
    })),
  ]);
}

/** The attributes of its own expressions, and of the imported variables that it uses. */
function attributesIn(file: PolicyFile, mentioned: Mentions | undefined): readonly InspectedAttribute[] {
  const exported = hasKind(file, 'export-variables') ? file.policy.definitions.map(({ expression }) => expression) : [];
  const variables =
    mentioned?.variables.defined.filter(
      ({ name, file: from }) => from === file || mentioned.variables.used.has(name.value),
    ) ?? [];
  const expressions = [...expressionsOfRules(file.policy), ...exported, ...variables.map(({ value }) => value)];
  const found = expressions.flatMap(({ ast }) => (ast === undefined ? [] : listAttributes(ast)));
  const unique = new Map(found.map((attribute) => [`${attribute.kind} ${attribute.name}`, attribute]));
  return [...unique.values()].sort((a, b) => compare(a.kind, b.kind) || compare(a.name, b.name));
}

function listDerivedRoles(file: PolicyFile, catalogue: Catalogue): readonly InspectedDerivedRole[] {
  if (hasKind(file, 'derived-roles')) {
    const source = makePolicyKey(file.policy);
    return byName(file.policy.definitions.map(({ name }) => ({ name: name.value, kind: 'KIND_EXPORTED', source })));
  }
  if (!hasKind(file, 'resource')) return [];
  const sets = file.policy.importDerivedRoles.flatMap(({ value }) => {
    const set = catalogue.find(importKey('derived_roles', value));
    return set !== undefined && hasKind(set, 'derived-roles') ? [set] : [];
  });
  const named = new Set(file.policy.rules.flatMap(({ derivedRoles }) => derivedRoles.map(({ value }) => value)));
  return byName(
    [...named].map((name): InspectedDerivedRole => {
      const set = sets.find(({ policy }) => policy.definitions.some((definition) => definition.name.value === name));
      return set === undefined
        ? { name, kind: 'KIND_UNDEFINED' }
        : { name, kind: 'KIND_IMPORTED', source: makePolicyKey(set.policy) };
    }),
  );
}

function byName<T extends { readonly name: string }>(entries: readonly T[]): readonly T[] {
  return [...entries].sort((a, b) => compare(a.name, b.name));
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * The attributes of principal and resource that an expression reads by name: `R.attr.owner`,
 * `request.principal.attr["team"]`, also below `has`. Nested fields belong to their attribute. A comprehension's
 * variable called `R` is mistaken for the resource, as it is by the linker.
 */
function listAttributes(expression: Expr): readonly InspectedAttribute[] {
  const found: InspectedAttribute[] = [];
  visit(expression, (node) => {
    const name = findMember(node);
    const owner =
      name === undefined || (node.kind !== 'select' && node.kind !== 'index') ? undefined : findOwner(node.operand);
    if (name !== undefined && owner !== undefined) found.push({ kind: owner, name });
  });
  return found;
}

/** The name that a node selects, if it is a literal. */
function findMember(node: Expr): string | undefined {
  if (node.kind === 'select') return node.field;
  return node.kind === 'index' && node.index.kind === 'literal' && node.index.type === 'string'
    ? node.index.value
    : undefined;
}

/** Whether an expression is the attributes of the principal or of the resource. */
function findOwner(node: Expr): InspectedAttribute['kind'] | undefined {
  if (node.kind !== 'select' || node.field !== 'attr') return undefined;
  const { operand } = node;
  if (operand.kind === 'ident') return OWNERS.get(operand.name);
  const isOfRequest =
    operand.kind === 'select' && operand.operand.kind === 'ident' && operand.operand.name === 'request';
  return isOfRequest ? OWNERS.get(`request.${operand.field}`) : undefined;
}

const OWNERS: ReadonlyMap<string, InspectedAttribute['kind']> = new Map([
  ['P', 'KIND_PRINCIPAL_ATTRIBUTE'],
  ['request.principal', 'KIND_PRINCIPAL_ATTRIBUTE'],
  ['R', 'KIND_RESOURCE_ATTRIBUTE'],
  ['request.resource', 'KIND_RESOURCE_ATTRIBUTE'],
]);

/** Which policies to inspect. */
export interface Selection {
  /** Ids; all policies if empty. */
  readonly ids: readonly string[];
  readonly includeDisabled: boolean;
  /** Regular expressions, unanchored; sets have neither version nor scope and count as having empty ones. */
  readonly name: Pattern | undefined;
  readonly version: Pattern | undefined;
  readonly scope: Pattern | undefined;
}

/** A compiled RE2 regular expression, which runs in linear time. */
export type Pattern = ReturnType<typeof RE2JS.compile>;

/** Compiles a regular expression; returns an error message if it is invalid. */
export function parsePattern(text: string): Pattern | { readonly problem: string } {
  if (isTooLarge(text)) return { problem: 'is too large: use smaller counts' };
  try {
    return RE2JS.compile(text);
  } catch (error) {
    if (error instanceof RE2JSException) return { problem: error.message };
    throw error;
  }
}

/** The selected policies, and the ids that match no policy. */
export function select(
  policies: readonly InspectedPolicy[],
  { ids, includeDisabled, name, version, scope }: Selection,
): { readonly selected: readonly InspectedPolicy[]; readonly unknown: readonly string[] } {
  const among = policies.filter(({ disabled }) => includeDisabled || !disabled);
  const wanted = new Set(ids);
  const finds = (pattern: Pattern | undefined, text: string): boolean =>
    pattern === undefined || pattern.matcher(text).find();
  return {
    selected: among
      .filter(({ policyId }) => wanted.size === 0 || wanted.has(policyId))
      .filter((policy) => finds(name, policy.name) && finds(version, policy.version) && finds(scope, policy.scope)),
    unknown: [...wanted].filter((id) => !among.some(({ policyId }) => policyId === id)),
  };
}
