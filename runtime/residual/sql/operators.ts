import { isBoolean, type JsonValue, type Operand } from '../operand.js';
import { isQuantifier } from './quantifiers.js';

/** Whether an operand is a boolean whenever it has a value. */
export function isTest(operand: Operand): boolean {
  if (!('expression' in operand)) return false;
  const { operator } = operand.expression;
  return isBoolean(operand) || isQuantifier(operator) || TESTS.has(operator);
}

/** The functions that are tests. */
const TESTS: ReadonlySet<string> = new Set([
  'startsWith',
  'endsWith',
  'contains',
  'hasIntersection',
  'has_intersection',
  'sets.intersects',
  'isSubset',
  'is_subset',
  'sets.contains',
]);

/**
 * The constants that `exists(t, t == c)`, `exists(t, t in cs)` and `all(t, t != c)` look for: an index on the list
 * finds them.
 */
export function soughtElements(quantifier: string, body: Operand, name: string): readonly JsonValue[] | undefined {
  if (!('expression' in body)) return undefined;
  const { operator, operands } = body.expression;
  const [first, second] = operands as [Operand, Operand];
  const isElement = (operand: Operand): boolean => 'variable' in operand && operand.variable === name;
  if (operator === 'in' && quantifier === 'exists') {
    return isElement(first) && 'value' in second && Array.isArray(second.value)
      ? (second.value as readonly JsonValue[])
      : undefined;
  }
  if (operator !== (quantifier === 'exists' ? 'eq' : 'ne') || quantifier === 'exists_one') return undefined;
  const constant = isElement(first) ? second : isElement(second) ? first : undefined;
  return constant !== undefined && 'value' in constant ? [constant.value] : undefined;
}
