import { always } from './always.js';
import { policyKey } from './names.js';
import type { DerivedRole, PrincipalPolicy, ResourcePolicy, RolePolicy, Rule } from './policy.js';

/*
 * How generated modules, and policies written by hand, create policies: usual values can be omitted, and derived
 * properties are computed. All policies of a kind have one shape, so that engines read them fast.
 */

/** `T` with some properties optional. */
type With<T, Required extends keyof T> = Pick<T, Required> & Partial<Omit<T, Required>>;

type Derived = 'key' | 'reach' | 'derivedRoles' | 'hasOutputs';

/** The properties of a resource policy. `version` defaults to `default` and `scope` to the root. */
export type ResourcePolicyText = With<Omit<ResourcePolicy, Derived>, 'kind'>;

/** A resource policy. */
export function resourcePolicy(text: ResourcePolicyText): ResourcePolicy {
  const { kind, version = 'default', scope = '', overridesParent = true, readsRuntime = false } = text;
  const { roles = new Map(), roleGlobs = [], rules = [], schemas, decide, readsPlace } = text;
  return {
    key: policyKey('resource', kind, version, scope),
    kind,
    version,
    scope,
    overridesParent,
    roles,
    roleGlobs,
    rules,
    reach: rules.reduce((bits, rule) => bits | rule.roles, 0),
    derivedRoles: listDerivedRoles(rules),
    hasOutputs: rules.some(hasOutput),
    readsRuntime,
    schemas,
    decide,
    readsPlace,
  };
}

/** The properties of a principal policy. */
export type PrincipalPolicyText = With<Omit<PrincipalPolicy, Derived>, 'principal'>;

/** A principal policy. */
export function principalPolicy(text: PrincipalPolicyText): PrincipalPolicy {
  const { principal, version = 'default', scope = '', overridesParent = true } = text;
  const { rules = [], readsRuntime = false } = text;
  return {
    key: policyKey('principal', principal, version, scope),
    principal,
    version,
    scope,
    overridesParent,
    rules,
    hasOutputs: rules.some(hasOutput),
    readsRuntime,
  };
}

/** The properties of a role policy. */
export type RolePolicyText = With<Omit<RolePolicy, Derived>, 'role'>;

/** A role policy. */
export function rolePolicy(text: RolePolicyText): RolePolicy {
  const { role, version = 'default', scope = '', parentRoles = [], rules = [], readsRuntime = false } = text;
  return {
    key: policyKey('role', role, version, scope),
    role,
    version,
    scope,
    parentRoles,
    rules,
    hasOutputs: rules.some(hasOutput),
    readsRuntime,
  };
}

/** The properties of a derived role: the set that defines it, its name, and its parent roles. */
export type DerivedRoleText = With<Omit<DerivedRole, 'key' | 'parentRoles'>, 'name'> & {
  readonly set: string;
  readonly parentRoles: readonly string[];
};

/** A derived role. */
export function derivedRole({ set, name, parentRoles, when = always, whenListed }: DerivedRoleText): DerivedRole {
  return { key: `derived_roles.${set}#${name}`, name, parentRoles: new Set(parentRoles), when, whenListed };
}

/** The derived roles that rules name, each once, by name. */
function listDerivedRoles(rules: readonly Rule[]): readonly DerivedRole[] {
  const roles = new Set(rules.flatMap(({ derivedRole }) => derivedRole ?? []));
  return [...roles].sort((a, b) => (a.name < b.name ? -1 : 1));
}

function hasOutput({ output }: Pick<Rule, 'output'>): boolean {
  return output !== undefined;
}
