import { ModelError } from './context.js';
import { evaluate, type Roots, type WireOperand } from './operands.js';
import type { WireRow } from './filter-rows.js';

/**
 * What comparing NULL gives: in SQL nothing is known of it, and its negation is not known either; document databases
 * say that it is unequal to all there is.
 */
export type NullComparison = 'unknown' | 'unequal';

/**
 * Whether a filter that says with null what is missing selects a row; attributes that a row lacks are NULL. Nothing is
 * known of the elements of a list that a row lacks.
 */
export function selectsNullRow(
  condition: WireOperand,
  { id, attr, policyVersion = '' }: WireRow,
  comparison: NullComparison,
): boolean {
  const request = { resource: { id, attr, policyVersion } };
  return truthOf(condition, (name) => (name === 'request' ? request : undefined), comparison) === true;
}

/** Undefined if it is not known. */
function truthOf(operand: WireOperand, roots: Roots, comparison: NullComparison): boolean | undefined {
  if (!('expression' in operand)) return leafOf(operand, roots, comparison, '');
  const { operator, operands = [] } = operand.expression;
  const [first, second] = operands as readonly [WireOperand, WireOperand];
  const each = (): readonly (boolean | undefined)[] => operands.map((part) => truthOf(part, roots, comparison));
  switch (operator) {
    case 'and':
      return combined(each(), false);
    case 'or':
      return combined(each(), true);
    case 'not': {
      const inner = truthOf(first, roots, comparison);
      return inner === undefined ? undefined : !inner;
    }
    case 'eq':
    case 'ne': {
      const compared = isNull(second) ? first : isNull(first) ? second : undefined;
      if (compared !== undefined) return (valueOf(compared, roots) === undefined) === (operator === 'eq');
      return leafOf(operand, roots, comparison, operator);
    }
    case 'in':
      return valueOf(second, roots) === undefined ? undefined : leafOf(operand, roots, comparison, operator);
    case 'exists':
    case 'all': {
      const range = valueOf(first, roots);
      if (range === undefined) return undefined;
      const elements = Array.isArray(range.value) ? range.value : Object.keys(range.value as object);
      if (!('expression' in second)) throw new Error('a macro without a lambda');
      const [body, variable, another] = second.expression.operands as readonly WireOperand[];
      if (another !== undefined) return leafOf(operand, roots, comparison, operator);
      const name = (variable as { readonly variable: string }).variable;
      const results = elements.map((element) =>
        truthOf(body as WireOperand, (root) => (root === name ? element : roots(root)), comparison),
      );
      return combined(results, operator === 'exists');
    }
    default:
      return leafOf(operand, roots, comparison, operator);
  }
}

function combined(results: readonly (boolean | undefined)[], end: boolean): boolean | undefined {
  if (results.includes(end)) return end;
  return results.includes(undefined) ? undefined : !end;
}

function leafOf(operand: WireOperand, roots: Roots, comparison: NullComparison, operator: string): boolean | undefined {
  try {
    const value = evaluate(operand, roots);
    return typeof value === 'boolean' ? value : undefined;
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return comparison === 'unequal' && /^no such key/.test(error.message) ? operator === 'ne' : undefined;
  }
}

/** Undefined for what is missing. */
function valueOf(operand: WireOperand, roots: Roots): { readonly value: unknown } | undefined {
  try {
    return { value: evaluate(operand, roots) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    return undefined;
  }
}

function isNull(operand: WireOperand): boolean {
  return 'value' in operand && operand.value === null;
}
