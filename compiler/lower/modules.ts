import type { Types } from '../ast/checked.js';
import { ruleName, sanitize } from '../ast/names.js';
import type {
  LinkedDerivedRole,
  LinkedPrincipalPolicy,
  LinkedResourcePolicy,
  LinkedRolePolicy,
} from '../ast/policy-set.js';
import type { ResourceRule, SchemaReference } from '../ast/policy.js';
import { invariant } from '../diagnostics/invariant.js';
import { messages } from '../diagnostics/messages.js';
import type {
  DerivedRole,
  DerivedRoleReference,
  DerivedRolesModule,
  PrincipalModule,
  ResourceModule,
  RoleModule,
  RoleRule,
  Rule,
  Schema,
} from '../ir/program.js';
import type { SchemaSet } from '../ir/schema.js';
import { valuesOf } from '../ir/visit.js';
import { usedBindings } from './bindings.js';
import { actionTable, ReachIndex } from './reach-index.js';
import { roleBits } from './role-bits.js';
import { lowerCondition, lowerOutput, readsRuntime, underConsent, valuesOfRule } from './rules.js';

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
    readsRuntime:
      readsRuntime([...rules.flatMap(valuesOfRule), ...variables.map(({ value }) => value)]) ||
      derivedRolesReadRuntime(linked, types),
    variables,
    constants,
  };
}

/** What occurs more than once. */
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

/** `*` among role texts replaces the whole list (docs/spec/policy-language.md#globs). */
function everyoneOr(texts: readonly string[]): readonly string[] {
  return texts.includes('*') ? ['*'] : texts;
}

function referenceTo(role: LinkedDerivedRole): DerivedRoleReference {
  return {
    module: `derived_roles.${role.set}`,
    name: role.definition.name.value,
    parentRoles: role.definition.parentRoles.map(({ value }) => value),
  };
}

function derivedRolesReadRuntime(linked: LinkedResourcePolicy, types: Types): boolean {
  return [...linked.derivedRoles.values()].some(({ definition, bindings }) => {
    const condition = lowerCondition(definition.condition, types);
    const values = valuesOfRule({ condition, output: undefined });
    return readsRuntime([...values, ...usedBindings(values, bindings, types).variables.map(({ value }) => value)]);
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

/** A principal policy: a table for each kind a rule names, and the rules that reach any other kind by glob. */
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
  const namesakes = namesakesOf(authored);
  const rules = authored.map((rule) =>
    sharesResults(rule, namesakes.get(rule.name), linked, types)
      ? { ...rule, memo: `${linked.key}#${rule.name}` }
      : rule,
  );
  const { variables, constants } = usedBindings(rules.flatMap(valuesOfRule), linked.bindings, types);
  const indexes = [...rules.keys()];
  const reach = new ReachIndex(rules.map((rule, index) => [index, [rule.resource as string]]));
  const kinds = [...new Set(rules.map((rule) => rule.resource as string))].filter((text) => !text.includes('*'));
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
    kinds: kinds.map((kind) => ({ kind, table: actionTable(rules, reach.reaching(kind)) })),
    otherKinds: indexes.filter((index) => rules[index]?.resource?.includes('*')),
    readsRuntime: readsRuntime([...rules.flatMap(valuesOfRule), ...variables.map(({ value }) => value)]),
    variables,
    constants,
  };
}

/** How many rules of a policy have one name. */
interface Namesakes {
  all: number;
  globs: number;
  /** By the kind that they are about. */
  readonly kinds: Map<string, number>;
}

/**
 * Whether its first result is used for the whole check although a later one could differ
 * (docs/spec/policy-language.md#rules-that-share-a-name): `runtime` changes between actions, and a rule of the same
 * name may have been first.
 */
function sharesResults(
  rule: Rule,
  namesakes: Namesakes | undefined,
  linked: LinkedPrincipalPolicy,
  types: Types,
): boolean {
  const values = valuesOf(rule.condition);
  const variables = usedBindings(values, linked.bindings, types).variables.map(({ value }) => value);
  return readsRuntime([...values, ...variables]) || (namesakes !== undefined && meetsAnother(rule, namesakes));
}

function namesakesOf(rules: readonly Rule[]): ReadonlyMap<string, Namesakes> {
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

/** Whether one request may reach a rule and another of its name: a glob may match any kind. */
function meetsAnother({ resource = '' }: Rule, { all, globs, kinds }: Namesakes): boolean {
  return resource.includes('*') ? all > 1 : globs > 0 || (kinds.get(resource) ?? 0) > 1;
}

/**
 * A role policy: what a role may do at most. Its resource texts are not sanitised
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
 * @param definitions of one set, not empty.
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
