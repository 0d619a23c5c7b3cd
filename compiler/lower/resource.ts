import type { Types } from '../ast/checked.js';
import { ruleName, sanitize } from '../ast/names.js';
import type { ResourceRule, SchemaReference } from '../ast/policy.js';
import type { LinkedDerivedRole, LinkedResourcePolicy } from '../ast/policy-set.js';
import { invariant } from '../diagnostics/invariant.js';
import { messages } from '../diagnostics/messages.js';
import type { DerivedRoleReference, ResourceModule, Rule, Schema } from '../ir/program.js';
import type { SchemaSet } from '../ir/schema.js';
import { actionTable } from './reach-index.js';
import { usedBindings } from './bindings.js';
import { lowerCondition, lowerOutput, readsRuntime, underConsent, valuesOfRule } from './rules.js';
import { roleBits } from './role-bits.js';

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
