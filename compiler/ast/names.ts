import type { Policy, PrincipalRule, ResourceRule, RoleRule } from './policy.js';

/**
 * A name as policy keys and rule lookup spell it (docs/spec/policy-language.md#sanitized-names): every run of
 * characters outside `[0-9A-Za-z_.]` in a plain name becomes one `_`; any other string stays as it is. Names with equal
 * results are the same name.
 */
export function sanitize(name: string): string {
  return PLAIN.test(name) ? name.replace(SEPARATORS, '_') : name;
}

/**
 * The identity of a policy document (docs/spec/policy-language.md#documents,
 * docs/spec/policy-language.md#policy-keys-and-rule-names): `resource.album.vdefault/acme`,
 * `derived_roles.common_roles`.
 */
export function makePolicyKey(policy: Policy): string {
  switch (policy.kind) {
    case 'resource':
      return scopedKey('resource', policy.resource.value, policy.version.value, policy.scope);
    case 'principal':
      return scopedKey('principal', policy.principal.value, policy.version.value, policy.scope);
    case 'role':
      return scopedKey('role', policy.role.value, policy.version, policy.scope);
    case 'derived-roles':
      return importKey('derived_roles', policy.name.value);
    case 'export-variables':
      return importKey('export_variables', policy.name.value);
    case 'export-constants':
      return importKey('export_constants', policy.name.value);
    case 'invariants':
      return `invariants.${sanitize(policy.name.value)}`;
    case 'tenant-roles':
      return 'tenant_roles';
  }
}

/** The key of an executable policy that may not exist: an ancestor in a scope chain. */
export function scopedKey(
  kind: 'resource' | 'principal' | 'role',
  name: string,
  version: string,
  scope: string,
): string {
  const key = `${kind}.${sanitize(name)}.v${sanitize(version)}`;
  return scope === '' ? key : `${key}/${scope}`;
}

/** The key of an imported document, which may not exist. */
export function importKey(kind: 'derived_roles' | 'export_variables' | 'export_constants', name: string): string {
  return `${kind}.${sanitize(name)}`;
}

/** The name of an unnamed rule: `rule-001` for index 0 (docs/spec/policy-language.md#policy-keys-and-rule-names). */
export function ruleName(index: number): string {
  return `rule-${String(index + 1).padStart(3, '0')}`;
}

// Segments are separated by `:`, which they cannot contain: matching is linear.
const PLAIN = /^[A-Za-z][0-9A-Za-z_@.\-/]*(?::[A-Za-z][0-9A-Za-z_@.\-/]*)*$/;
const SEPARATORS = /[^0-9A-Za-z_.]+/g;

/**
 * The name of a rule of a resource policy, as printed in outputs
 * (docs/spec/policy-language.md#policy-keys-and-rule-names).
 */
export function nameOfResourceRule(rule: ResourceRule, index: number): string {
  return rule.name?.value ?? ruleName(index);
}

/** The name of an action of a principal policy (docs/spec/policy-language.md#policy-keys-and-rule-names). */
export function nameOfPrincipalAction({ resource, actions }: PrincipalRule, index: number): string {
  return actions[index]?.name?.value ?? `${resource.value}_${ruleName(index)}`;
}

/**
 * The name of a rule of a role policy in messages: an unnamed rule has an empty name
 * (docs/spec/policy-language.md#policy-keys-and-rule-names), so its index is used.
 */
export function nameOfRoleRule(rule: RoleRule, index: number): string {
  return rule.name?.value ?? ruleName(index);
}
