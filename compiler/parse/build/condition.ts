import type { Condition, Match, Output } from '../../ast/policy.js';
import { invariant } from '../../diagnostics/invariant.js';
import type { FieldValue, ObjectValue } from '../schema/value.js';
import { expressionOf, optionalExpression } from './expression.js';
import { asText, fieldOf, objectOf, objectsOf } from './fields.js';

/** The condition of a rule or of a derived role (docs/spec/policy-language.md#condition). */
export function conditionOf(rule: ObjectValue): Condition | undefined {
  const condition = fieldOf(rule, 'condition');
  if (condition === undefined) return undefined;
  const { place, value } = condition;
  if (value.kind !== 'object') return invariant('a condition is no object');
  const match = objectOf(value, 'match');
  return { place, match: match === undefined ? { kind: 'script', place } : matchOf(match) };
}

/** The output of a rule (docs/spec/policy-language.md#output). */
export function outputOf(rule: ObjectValue): Output | undefined {
  const output = fieldOf(rule, 'output');
  if (output === undefined) return undefined;
  const { place, value } = output;
  if (value.kind !== 'object') return invariant('an output is no object');
  const when = objectOf(value, 'when');
  return {
    place,
    ruleActivated: when && optionalExpression(when, 'ruleActivated'),
    conditionNotMet: when && optionalExpression(when, 'conditionNotMet'),
    legacy: optionalExpression(value, 'expr'),
  };
}

const OPERATORS = ['all', 'any', 'none'] as const;

function matchOf(match: ObjectValue): Match {
  const expr: FieldValue | undefined = fieldOf(match, 'expr');
  if (expr !== undefined) return { kind: 'expr', expression: expressionOf(asText(expr.value), expr.place) };
  for (const kind of OPERATORS) {
    const operands = objectOf(match, kind);
    if (operands !== undefined) return { kind, of: objectsOf(operands, 'of').map(({ value }) => matchOf(value)) };
  }
  return invariant('a match without operator after validation');
}
