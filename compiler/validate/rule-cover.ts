import type { JudgedPolicy, JudgedRule } from './judged-rules.js';

/**
 * The rule that a rule repeats: one that says all that it says in the same way, with the same effect and condition, and
 * no action, role or derived role less. Of two rules that say the same, the later one repeats the earlier.
 */
export function repeatedBy(rule: JudgedRule, policy: JudgedPolicy): JudgedRule | undefined {
  if (rule.hasOutput) return undefined;
  return policy.findSimilar(rule, (other) => {
    if (rule === other || !says(other, rule) || changesOutputs(rule, other, policy)) return false;
    return !says(rule, other) || other.hasOutput || other.index < rule.index;
  });
}

/**
 * Whether an output could appear that a rule holds back, were only the other one there: a DENY ends the search, and
 * rules after it show nothing (docs/spec/policy-language.md#when-outputs-are-emitted). The resources of a principal
 * policy come in no order.
 */
export function changesOutputs(rule: JudgedRule, other: JudgedRule, { hasOutputs }: JudgedPolicy): boolean {
  if (!rule.mayDeny || !hasOutputs) return false;
  return other.index > rule.index || rule.resource !== other.resource;
}

/**
 * Whether every derived role of a rule is named by another rule: those named by a rule are listed in `runtime` and in
 * answers (docs/spec/policy-language.md#effective-derived-roles).
 */
export function isNamedElsewhere(rule: JudgedRule, policy: JudgedPolicy): boolean {
  return [...new Set(rule.derivedRoles)].every((name) => policy.rulesNaming(name) > 1);
}

function says(other: JudgedRule, rule: JudgedRule): boolean {
  return (
    other.effect === rule.effect &&
    other.condition === rule.condition &&
    other.coversResource(rule.resource) &&
    rule.actions.every(other.coversAction) &&
    rule.roles.every(other.coversRole) &&
    rule.derivedRoles.every((name) => other.namesDerivedRole.has(name))
  );
}
