import { ruleName } from '../ast/names.js';
import type { PrincipalRule, ResourceRule, RoleRule } from '../ast/policy.js';

/**
 * The name of a rule of a resource policy, as outputs say it (docs/spec/policy-language.md#policy-keys-and-rule-names).
 */
export function nameOfResourceRule(rule: ResourceRule, index: number): string {
  return rule.name?.value ?? ruleName(index);
}

/** The name of an action of a principal policy (docs/spec/policy-language.md#policy-keys-and-rule-names). */
export function nameOfPrincipalAction({ resource, actions }: PrincipalRule, index: number): string {
  return actions[index]?.name?.value ?? `${resource.value}_${ruleName(index)}`;
}

/**
 * How a message calls a rule of a role policy: one without a name has an empty one
 * (docs/spec/policy-language.md#policy-keys-and-rule-names), so it goes by its place.
 */
export function nameOfRoleRule(rule: RoleRule, index: number): string {
  return rule.name?.value ?? ruleName(index);
}
