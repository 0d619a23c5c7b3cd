import type { CheckedExpression } from '../../packages/cel/ast/checked-expression.js';
import type { Types } from '../ast/checked.js';
import type * as authored from '../ast/policy.js';
import type { Effect, ScopePermissions } from '../ast/policy.js';
import { invariant } from '../diagnostics/invariant.js';
import type { Match, Output } from '../ir/program.js';
import type { RequestPart, Value } from '../ir/value.js';
import { some, listValues } from '../ir/visit.js';
import { lowerValue } from './values.js';

/** An expression of a policy as a value. */
export function lowerExpression(expression: authored.Expression, types: Types): Value {
  const checked = types.get(expression) ?? invariant(`expression ${expression.text} was not checked`);
  const known = cache.get(checked);
  if (known !== undefined) return known;
  const value = lowerValue(expression.ast ?? invariant(`expression ${expression.text} has no tree`), checked);
  cache.set(checked, value);
  return value;
}

// Expressions with the same source text share their tree and its side tables, and the value depends on these alone;
// entries are collected with them.
const cache = new WeakMap<CheckedExpression, Value>();

/** The condition of a rule; undefined if it has none. */
export function lowerCondition(condition: authored.Condition | undefined, types: Types): Match | undefined {
  return condition && lowerMatch(condition.match, types);
}

/** The output of a rule; `expr` is the older spelling of `when.ruleActivated` (docs/spec/policy-language.md#output). */
export function lowerOutput(output: authored.Output | undefined, types: Types): Output | undefined {
  if (output === undefined) return undefined;
  const activated = output.ruleActivated ?? output.legacy;
  return {
    ruleActivated: activated && lowerExpression(activated, types),
    conditionNotMet: output.conditionNotMet && lowerExpression(output.conditionNotMet, types),
    expressions: { ruleActivated: activated, conditionNotMet: output.conditionNotMet },
  };
}

function lowerMatch(match: authored.Match, types: Types): Match {
  switch (match.kind) {
    case 'expr':
      return { kind: 'expr', expression: match.expression, value: lowerExpression(match.expression, types) };
    case 'all':
    case 'any':
    case 'none':
      return { kind: match.kind, of: match.of.map((inner) => lowerMatch(inner, types)) };
    case 'script':
      return invariant('a script condition passed the link stage');
  }
}

/** All expressions of a rule: those of its condition and of its outputs. */
export function valuesOfRule(rule: {
  readonly condition: Match | undefined;
  readonly output: Output | undefined;
}): readonly Value[] {
  const outputs = [rule.output?.ruleActivated, rule.output?.conditionNotMet];
  return [...listValues(rule.condition), ...outputs.filter((value) => value !== undefined)];
}

/** Whether an expression reads which derived roles are active, so that the engine must keep the list. */
export function readsRuntime(values: readonly Value[]): boolean {
  return values.some((value) =>
    some(
      value,
      (part) =>
        (part.kind === 'part' && (part.part === 'runtime' || part.part === 'request')) ||
        (part.kind === 'field' && part.of === 'runtime'),
    ),
  );
}

/** Whether an expression reads a version or the scope of the principal or the resource, or one of them as a whole. */
export function readsPlace(values: readonly Value[]): boolean {
  return values.some((value) =>
    some(
      value,
      (part) =>
        (part.kind === 'part' && PLACED.has(part.part)) ||
        (part.kind === 'field' && PLACED.has(part.of) && PLACE.has(part.name)),
    ),
  );
}

const PLACED: ReadonlySet<RequestPart> = new Set(['request', 'principal', 'resource']);
const PLACE: ReadonlySet<string> = new Set(['policyVersion', 'scope']);

/**
 * The effect of a rule after parental consent is applied (docs/spec/policy-language.md#effect-of-a-rule): a conditional
 * ALLOW becomes a DENY for principals that do not meet the condition; those that meet it are left to the parent scope.
 *
 * @returns `inverted` if the effect applies when the condition does not hold.
 */
export function underConsent(
  effect: Effect,
  conditional: boolean,
  permissions: ScopePermissions,
): { effect: Effect; inverted: boolean } {
  const inverted = permissions === 'require-parental-consent' && effect === 'allow' && conditional;
  return inverted ? { effect: 'deny', inverted } : { effect, inverted };
}
