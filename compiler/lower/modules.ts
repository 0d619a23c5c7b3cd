import { append } from '../append.js';
import type { Types } from '../ast/checked.js';
import { ruleName, sanitize } from '../ast/names.js';
import type {
  Bindings,
  LinkedDerivedRole,
  LinkedPrincipalPolicy,
  LinkedResourcePolicy,
  LinkedRolePolicy,
} from '../ast/policy-set.js';
import type { ResourceRule, SchemaReference } from '../ast/policy.js';
import { invariant } from '../diagnostics/invariant.js';
import { messages } from '../diagnostics/messages.js';
import type {
  Constant,
  DerivedRole,
  DerivedRoleReference,
  DerivedRolesModule,
  PrincipalModule,
  ResourceModule,
  RoleBits,
  RoleModule,
  RoleRule,
  Rule,
  Schema,
  Variable,
} from '../ir/program.js';
import { findExtent, standsAt } from '../ir/origins.js';
import type { SchemaSet } from '../ir/schema.js';
import type { Value } from '../ir/value.js';
import { mapParts, namesIn, listValues } from '../ir/visit.js';
import { actionTable, ReachIndex } from './reach-index.js';
import {
  lowerCondition,
  lowerExpression,
  lowerOutput,
  readsPlace,
  readsRuntime,
  underConsent,
  valuesOfRule,
} from './rules.js';

/**
 * A resource policy: one lowered rule for the plain roles of an authored rule and one for each of its derived roles.
 */
export function lowerResourcePolicy(linked: LinkedResourcePolicy, types: Types, schemas: SchemaSet): ResourceModule {
  const { policy } = linked;
  const names = policy.rules.map((rule, index) => rule.name?.value ?? ruleName(index));
  const shared = repeated(names);
  const rules = policy.rules.flatMap((rule, index) =>
    lowerRule(linked, rule, { name: names[index] as string, collides: shared.has(names[index] as string) }, types),
  );
  const { variables, constants } = usedBindings(rules.flatMap(valuesOfRule), linked.bindings, types);
  const values = [
    ...rules.flatMap(valuesOfRule),
    ...variables.map(({ value }) => value),
    ...valuesOfDerivedRoles(linked, types),
  ];
  return {
    kind: 'resource',
    key: linked.key,
    sourcePath: linked.file.source.path,
    description: linked.file.description,
    resource: policy.resource.value,
    kindName: sanitize(policy.resource.value),
    version: policy.version.value,
    scope: policy.scope,
    overridesParent: policy.scopePermissions !== 'require-parental-consent',
    roles: roleBits(rules.map((rule) => rule.roles)),
    rules,
    table: actionTable(rules, [...rules.keys()]),
    derivedRoles: [...linked.derivedRoles.values()].map(referenceTo).sort((a, b) => (a.name < b.name ? -1 : 1)),
    schemas: {
      principal: lowerSchema('principal', policy.schemas?.principal, schemas),
      resource: lowerSchema('resource', policy.schemas?.resource, schemas),
    },
    readsRuntime: readsRuntime(values),
    readsPlace: readsPlace(values),
    variables,
    constants,
  };
}

/** The elements that occur more than once. */
function repeated(names: readonly string[]): ReadonlySet<string> {
  const seen = new Set<string>();
  return new Set(names.filter((name) => seen.size === seen.add(name).size));
}

interface RuleName {
  readonly name: string;
  /**
   * A rule called `rule-002` shares its results with an unnamed second rule
   * (docs/spec/policy-language.md#rules-that-share-a-name).
   */
  readonly collides: boolean;
}

function lowerRule(
  linked: LinkedResourcePolicy,
  rule: ResourceRule,
  { name, collides }: RuleName,
  types: Types,
): readonly Rule[] {
  const condition = lowerCondition(rule.condition, types);
  const { effect, inverted } = underConsent(rule.effect, condition !== undefined, linked.policy.scopePermissions);
  const shared = {
    span: rule.place.span,
    name,
    named: rule.name !== undefined,
    effect,
    inverted,
    written: rule.effect,
    actions: rule.actions.map(({ value }) => value),
    resource: undefined,
    condition,
    output: lowerOutput(rule.output, types),
  };
  const identity = `${linked.key}#${name}`;
  const lowered: Rule[] = [];
  if (rule.roles.length > 0) {
    const roles = everyoneOr(rule.roles.map(({ value }) => value));
    lowered.push({ ...shared, roles, derivedRole: undefined, memo: collides ? identity : undefined });
  }
  for (const { value } of rule.derivedRoles) {
    const derivedRole = referenceTo(
      linked.derivedRoles.get(value) ?? invariant(`derived role ${value} was not linked`),
    );
    lowered.push({
      ...shared,
      roles: everyoneOr(derivedRole.parentRoles),
      derivedRole,
      memo: collides ? `${identity}@${value}` : undefined,
    });
  }
  return lowered;
}

/** `*` among role names replaces the whole list (docs/spec/policy-language.md#globs). */
export function everyoneOr(texts: readonly string[]): readonly string[] {
  return texts.includes('*') ? ['*'] : texts;
}

function referenceTo(role: LinkedDerivedRole): DerivedRoleReference {
  return {
    module: `derived_roles.${role.set}`,
    name: role.definition.name.value,
    parentRoles: role.definition.parentRoles.map(({ value }) => value),
  };
}

function valuesOfDerivedRoles(linked: LinkedResourcePolicy, types: Types): readonly Value[] {
  return [...linked.derivedRoles.values()].flatMap(({ definition, bindings }) => {
    const values = listValues(lowerCondition(definition.condition, types));
    return [...values, ...usedBindings(values, bindings, types).variables.map(({ value }) => value)];
  });
}

function lowerSchema(
  subject: 'principal' | 'resource',
  schema: SchemaReference | undefined,
  { entries }: SchemaSet,
): Schema | undefined {
  if (schema === undefined) return undefined;
  const ref = schema.ref.value;
  const entry = entries.get(ref) ?? invariant(`schema ${ref} was not resolved`);
  const validator =
    'reason' in entry
      ? { unavailable: messages['schema/invalid'].text({ subject, ref, reason: entry.reason }) }
      : entry;
  return { ref, ignoredActions: schema.ignoredActions.map(({ value }) => value), validator };
}

/** A principal policy: a table for each kind that a rule names, and the rules that match any other kind by glob. */
export function lowerPrincipalPolicy(linked: LinkedPrincipalPolicy, types: Types): PrincipalModule {
  const { policy } = linked;
  const authored = policy.rules.flatMap((block) =>
    block.actions.map((action, index): Rule => {
      const condition = lowerCondition(action.condition, types);
      const name = action.name?.value ?? `${block.resource.value}_rule-${String(index + 1).padStart(3, '0')}`;
      return {
        span: action.place.span,
        name,
        named: action.name !== undefined,
        ...underConsent(action.effect, condition !== undefined, policy.scopePermissions),
        written: action.effect,
        actions: [action.action.value],
        roles: ['*'],
        resource: sanitize(block.resource.value),
        derivedRole: undefined,
        condition,
        output: lowerOutput(action.output, types),
        memo: undefined,
      };
    }),
  );
  const namesakes = findNamesakes(authored);
  const rules = authored.map((rule) =>
    sharesResults(rule, namesakes.get(rule.name), linked, types)
      ? { ...rule, memo: `${linked.key}#${rule.name}` }
      : rule,
  );
  const { variables, constants } = usedBindings(rules.flatMap(valuesOfRule), linked.bindings, types);
  return {
    kind: 'principal',
    key: linked.key,
    sourcePath: linked.file.source.path,
    description: linked.file.description,
    principal: policy.principal.value,
    version: policy.version.value,
    scope: policy.scope,
    overridesParent: policy.scopePermissions !== 'require-parental-consent',
    rules,
    ...kindTables(rules),
    readsRuntime: readsRuntime([...rules.flatMap(valuesOfRule), ...variables.map(({ value }) => value)]),
    variables,
    constants,
  };
}

/** The tables of a principal policy: one for each kind that a rule names literally, and the rules for other kinds. */
export function kindTables(rules: readonly Rule[]): Pick<PrincipalModule, 'kinds' | 'otherKinds'> {
  const reach = new ReachIndex(rules.map((rule, index) => [index, [rule.resource as string]]));
  const kinds = [...new Set(rules.map((rule) => rule.resource as string))].filter((text) => !text.includes('*'));
  return {
    kinds: kinds.map((kind) => ({ kind, table: actionTable(rules, reach.reaching(kind)) })),
    otherKinds: [...rules.keys()].filter((index) => rules[index]?.resource?.includes('*')),
  };
}

/** The number of rules of a policy for each name. */
interface Namesakes {
  all: number;
  globs: number;
  /** Keyed by resource kind. */
  readonly kinds: Map<string, number>;
}

/**
 * Whether its first result is used for the whole check although a later one could differ
 * (docs/spec/policy-language.md#rules-that-share-a-name): `runtime` changes between actions, and a rule of the same
 * name may have come first.
 */
function sharesResults(
  rule: Rule,
  namesakes: Namesakes | undefined,
  linked: LinkedPrincipalPolicy,
  types: Types,
): boolean {
  const values = listValues(rule.condition);
  const variables = usedBindings(values, linked.bindings, types).variables.map(({ value }) => value);
  return readsRuntime([...values, ...variables]) || (namesakes !== undefined && meetsAnother(rule, namesakes));
}

function findNamesakes(rules: readonly Rule[]): ReadonlyMap<string, Namesakes> {
  const groups = new Map<string, Namesakes>();
  for (const { name, resource = '' } of rules) {
    const group = groups.get(name) ?? { all: 0, globs: 0, kinds: new Map() };
    groups.set(name, group);
    group.all += 1;
    if (resource.includes('*')) group.globs += 1;
    else group.kinds.set(resource, (group.kinds.get(resource) ?? 0) + 1);
  }
  return groups;
}

/** Whether one request may match both a rule and another rule of its name: a glob may match any kind. */
function meetsAnother({ resource = '' }: Rule, { all, globs, kinds }: Namesakes): boolean {
  return resource.includes('*') ? all > 1 : globs > 0 || (kinds.get(resource) ?? 0) > 1;
}

/**
 * A role policy: an upper bound on what a role may do. Its resource names are not sanitized
 * (docs/spec/policy-language.md#sanitized-names).
 */
export function lowerRolePolicy(linked: LinkedRolePolicy, types: Types): RoleModule {
  const { policy } = linked;
  const rules = policy.rules.map(
    (rule): RoleRule => ({
      span: rule.place.span,
      name: rule.name?.value ?? '',
      resource: rule.resource.value,
      allowActions: rule.allowActions.map(({ value }) => value),
      condition: lowerCondition(rule.condition, types),
      output: lowerOutput(rule.output, types),
    }),
  );
  const { variables, constants } = usedBindings(rules.flatMap(valuesOfRule), linked.bindings, types);
  return {
    kind: 'role',
    key: linked.key,
    sourcePath: linked.file.source.path,
    description: linked.file.description,
    role: policy.role.value,
    version: policy.version,
    scope: policy.scope,
    parentRoles: policy.parentRoles.map(({ value }) => value),
    rules,
    readsRuntime: readsRuntime([...rules.flatMap(valuesOfRule), ...variables.map(({ value }) => value)]),
    variables,
    constants,
  };
}

/**
 * The derived roles of one document, for all policies that import it.
 *
 * @param definitions the definitions of one set, not empty.
 */
export function lowerDerivedRoles(definitions: readonly LinkedDerivedRole[], types: Types): DerivedRolesModule {
  const [{ set, file, bindings }] = definitions as [LinkedDerivedRole];
  const lowered = definitions.map(
    ({ definition }): DerivedRole => ({
      span: definition.place.span,
      name: definition.name.value,
      parentRoles: definition.parentRoles.map(({ value }) => value),
      condition: lowerCondition(definition.condition, types),
    }),
  );
  const values = lowered.flatMap(({ condition }) => valuesOfRule({ condition, output: undefined }));
  return {
    kind: 'derived-roles',
    key: `derived_roles.${set}`,
    sourcePath: file.source.path,
    description: file.description,
    name: set,
    definitions: lowered,
    ...usedBindings(values, bindings, types),
  };
}

/**
 * The bits that a policy has for its roles: JavaScript's bitwise operators work on 32 bits; one is reserved by the
 * engine for roles that no rule names, and one is the sign.
 */
const BITS = 30;

/**
 * Assigns a bit to each role name of a policy, in order of first appearance. If there are too many roles, those that no
 * rule distinguishes share a bit; if that is not enough, bits repeat and rules must also name their roles (`crowded`).
 *
 * @param rules the role names of each rule; `['*']` means any role.
 */
export function roleBits(rules: readonly (readonly string[])[]): RoleBits {
  const texts = [...new Set(rules.flat())].filter((text) => text !== '*');
  const patterns = texts.filter((text) => text.includes('*'));
  const roles = texts.filter((text) => !text.includes('*'));

  const groupOf = groups(roles, rules, texts.length > BITS);
  const size = new Set(groupOf.values()).size + patterns.length;
  const toBit = (position: number): number => 1 << (position % BITS);

  const globs = patterns.map((pattern, index) => ({ pattern, bit: toBit(size - patterns.length + index) }));
  const index = new ReachIndex(patterns.map((pattern, entry) => [entry, [pattern]]));
  const literals = roles.map((role) => ({
    role,
    bit: toBit(groupOf.get(role) as number),
    alsoGlobs: index.reaching(role).flatMap((entry) => globs[entry]?.bit ?? []),
  }));
  return { literals, globs, crowded: size > BITS };
}

/** The position of each role's bit: a separate one, or a shared one for roles that appear in the same rules. */
function groups(
  roles: readonly string[],
  rules: readonly (readonly string[])[],
  share: boolean,
): ReadonlyMap<string, number> {
  if (!share) return new Map(roles.map((role, index) => [role, index]));
  const rulesOf = new Map<string, number[]>(roles.map((role) => [role, []]));
  rules.forEach((texts, rule) => {
    for (const text of texts) rulesOf.get(text)?.push(rule);
  });
  const positions = new Map<string, number>();
  const groupOf = new Map<string, number>();
  for (const role of roles) {
    const signature = (rulesOf.get(role) as number[]).join(',');
    const position = positions.get(signature) ?? positions.size;
    positions.set(signature, position);
    groupOf.set(role, position);
  }
  return groupOf;
}

/**
 * The variables and constants of a document that exist at run time: the used ones
 * (docs/spec/policy-language.md#compiling-variables-and-constants).
 */
export interface UsedBindings {
  /** Variables in dependency order. */
  readonly variables: readonly Variable[];
  /** Constants, sorted by name. */
  readonly constants: readonly Constant[];
}

/** The variables and constants that some of the values select, directly or through another used variable. */
export function usedBindings(values: readonly Value[], bindings: Bindings, types: Types): UsedBindings {
  const used = new Map<string, Variable>();
  const reached = [...values];
  const pending = [...namesIn(values, 'variable')];
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    const definition = bindings.variables.get(name);
    if (definition === undefined || used.has(name)) continue;
    const value = seenFrom(name, lowerExpression(definition.expression, types));
    used.set(name, { name, expression: definition.expression, value });
    reached.push(value);
    append(pending, namesIn([value], 'variable'));
  }
  const order = used.size > 1 ? placesIn(bindings) : NO_PLACES;
  return {
    variables: [...used.values()].sort((a, b) => (order.get(a.name) as number) - (order.get(b.name) as number)),
    constants: [...namesIn(reached, 'constant')].sort().flatMap((name) => {
      const constant = bindings.constants.get(name);
      return constant === undefined ? [] : [{ name, value: constant.value, span: constant.place.span }];
    }),
  };
}

/** The definition of a variable in which `V` as a whole only contains the variables before it. */
function seenFrom(name: string, value: Value): Value {
  if (value.kind === 'bindings' && value.of === 'variables')
    return standsAt({ ...value, before: name }, findExtent(value));
  return mapParts(value, (part) => seenFrom(name, part));
}

/** The position of each variable in the dependency order. */
function placesIn(bindings: Bindings): ReadonlyMap<string, number> {
  const known = places.get(bindings) ?? new Map([...bindings.variables.keys()].map((name, place) => [name, place]));
  places.set(bindings, known);
  return known;
}

const NO_PLACES: ReadonlyMap<string, number> = new Map();

// Called for each rule of a principal policy; bindings are immutable, and entries are collected with them.
const places = new WeakMap<Bindings, ReadonlyMap<string, number>>();
