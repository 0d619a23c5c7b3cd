import type { JudgedRule } from './judged-rules.js';

/**
 * Whether a rule says nothing that another one does not say in the same way: the same effect and condition, no action, role or derived
 * role more. Of two rules that say the same, the later one repeats the earlier.
 */
export function repeats(rule: JudgedRule, other: JudgedRule, rules: readonly JudgedRule[]): boolean {
  if (rule === other || rule.hasOutput || !says(other, rule) || changesOutputs(rule, other, rules)) return false;
  return !says(rule, other) || other.hasOutput || rules.indexOf(other) < rules.indexOf(rule);
}

/**
 * Whether an output could appear that a rule holds back, were only the other one there: a DENY ends the search, and rules after it show nothing
 * (policy-language.md 9.1). The resources of a principal policy come in no order.
 */
export function changesOutputs(rule: JudgedRule, other: JudgedRule, rules: readonly JudgedRule[]): boolean {
  if (!rule.mayDeny || !rules.some(({ hasOutput }) => hasOutput)) return false;
  return rules.indexOf(other) > rules.indexOf(rule) || rule.resource !== other.resource;
}

/** Whether every derived role of a rule is named by another rule: those named by a rule are listed in `runtime` and in answers (policy-language.md 7.2). */
export function isNamedElsewhere(rule: JudgedRule, rules: readonly JudgedRule[]): boolean {
  return rule.derivedRoles.every((name) => rules.some((other) => other !== rule && other.derivedRoles.includes(name)));
}

function says(other: JudgedRule, rule: JudgedRule): boolean {
  return (
    other.effect === rule.effect &&
    other.condition === rule.condition &&
    other.coversResource(rule.resource) &&
    rule.actions.every(other.coversAction) &&
    rule.roles.every(other.coversRole) &&
    rule.derivedRoles.every((name) => other.derivedRoles.includes(name))
  );
}
