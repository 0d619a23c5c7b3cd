import { expression, type Expression, type JsonValue, type Operand } from '../operand.js';

/** A condition that can never be evaluated: it is neither true nor false. */
export const FAILS: Operand = { value: null };
export const TRUE: Operand = { value: true };
export const FALSE: Operand = { value: false };

/** The conjunction of some tests. */
export function allOf(...tests: readonly Operand[]): Operand {
  const left = tests.filter((test) => test !== TRUE);
  return left.length > 1 ? expression('and', ...left) : (left[0] ?? TRUE);
}

/** Where an operand has a type. */
export function isOfType(operand: Operand, type: string): Operand {
  return expression('eq', expression('type', operand), { variable: type });
}

/** The disjunction of some tests. */
export function anyOf(...tests: readonly Operand[]): Operand {
  const left = tests.filter((test) => test !== FALSE);
  return left.length > 1 ? expression('or', ...left) : (left[0] ?? FALSE);
}

/** The opposite of a test, which fails where the test does. */
export function not(test: Operand): Operand {
  return expression('not', test);
}

/** A test where a guard is true; elsewhere it fails. */
export function guarded(guard: Operand, test: Operand): Operand {
  return guard === TRUE ? test : expression('if', guard, test, FAILS);
}

/** True for a number; it fails for any other value. */
export function isNumber(operand: Operand): Operand {
  return anyOf(expression('lt', operand, { value: 0 }), expression('ge', operand, { value: 0 }));
}

/**
 * A test of a value that has another type than the one that an idiom is about. It is neither true nor false, nor does it
 * fail: a store that knows the type does not reach it, and any other store refuses it or selects nothing there.
 */
export function unread(operator: string): Operand {
  return expression('unread', { value: operator });
}

/** The value of a constant; undefined for any other operand. */
export function readConstant(operand: Operand | undefined): JsonValue | undefined {
  return operand !== undefined && 'value' in operand ? operand.value : undefined;
}

/** A test that is true wherever an operand can be read; elsewhere it is false or fails. */
export function isReadable(operand: Operand): Operand {
  if ('value' in operand) return TRUE;
  if ('variable' in operand)
    return operand.variable.includes('.') && !operand.variable.startsWith('request.resource.id')
      ? expression('has', operand)
      : TRUE;
  return anyOf(expression('eq', operand, operand), expression('ne', operand, operand));
}

/** A test that is true wherever another one is true or false; elsewhere it is false or fails. */
export function isEvaluated(test: Operand): Operand {
  const whole = anyOf(test, not(test));
  if (!('expression' in test)) return whole;
  const { operator, operands } = test.expression;
  switch (operator) {
    case 'eq':
    case 'ne':
      return allOf(...operands.map(isReadable));
    case 'in':
      return readConstant(operands[1]) === undefined ? whole : isReadable(operands[0] as Operand);
    case 'not':
      return isEvaluated(operands[0] as Operand);
    case 'and':
    case 'or':
      return anyOf(allOf(...operands.map(isEvaluated)), whole);
    default:
      return whole;
  }
}

export type Comparison = 'eq' | 'ne' | 'lt' | 'le' | 'gt' | 'ge';

const MIRRORED: { readonly [comparison in Comparison]: Comparison } = {
  eq: 'eq',
  ne: 'ne',
  lt: 'gt',
  le: 'ge',
  gt: 'lt',
  ge: 'le',
};

/** A comparison, and the same from the other side. */
export function listComparisons({
  operator,
  operands,
}: Expression): readonly { readonly comparison: Comparison; readonly left: Operand; readonly right: Operand }[] {
  if (!Object.hasOwn(MIRRORED, operator)) return [];
  const comparison = operator as Comparison;
  const [left, right] = operands as [Operand, Operand];
  return [
    { comparison, left, right },
    { comparison: MIRRORED[comparison], left: right, right: left },
  ];
}

/** Whether a number compares with a constant. */
export function compares(a: number, comparison: Comparison, b: number): boolean {
  return { eq: a === b, ne: a !== b, lt: a < b, le: a <= b, gt: a > b, ge: a >= b }[comparison];
}

/** Equalities of tests with booleans, attributes and one another, as tests. */
export function ofParts(operand: Operand): Operand | undefined {
  if (!('expression' in operand)) return undefined;
  const { operator, operands } = operand.expression;
  if (operator !== 'eq' && operator !== 'ne') return undefined;
  const [first, second] = operands as [Operand, Operand];
  const [test, other] = isTest(first) ? [first, second] : [second, first];
  if (!isTest(test)) return undefined;
  const isEqual = operator === 'eq';
  const constant = readConstant(other);
  if (typeof constant === 'boolean') return constant === isEqual ? test : not(test);
  if ('variable' in other) {
    const same = expression('if', test, expression('eq', other, TRUE), expression('eq', other, FALSE));
    return isEqual ? same : not(same);
  }
  if (!isTest(other)) return undefined;
  return isEqual ? expression('if', test, other, not(other)) : expression('if', test, not(other), other);
}

/** Whether an operand is a boolean whenever it has a value. */
function isTest(operand: Operand): boolean {
  return 'expression' in operand && TESTS.has(operand.expression.operator);
}

const TESTS: ReadonlySet<string> = new Set([
  ...['and', 'or', 'not', 'has', 'eq', 'ne', 'lt', 'le', 'gt', 'ge', 'in', 'exists', 'all', 'exists_one', 'matches'],
  ...['startsWith', 'endsWith', 'contains', 'hasIntersection', 'has_intersection', 'sets.intersects', 'isSubset'],
  ...['is_subset', 'sets.contains'],
]);
