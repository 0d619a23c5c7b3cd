import type { Effect, ScopePermissions } from '../ast/policy.js';

/**
 * The effect of a rule once parental consent is seen to (docs/spec/policy-language.md#effect-of-a-rule): a conditional
 * ALLOW becomes the DENY of those who do not meet the condition; whoever meets it is left to the parent scope.
 *
 * @returns `inverted` when the effect holds where the condition does not.
 */
export function underConsent(
  effect: Effect,
  conditional: boolean,
  permissions: ScopePermissions,
): { effect: Effect; inverted: boolean } {
  const inverted = permissions === 'require-parental-consent' && effect === 'allow' && conditional;
  return inverted ? { effect: 'deny', inverted } : { effect, inverted };
}
