import type { Operand } from '../../runtime/residual/index.js';

const NOW = /^20\d\d-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/;

/**
 * An operand in normal form: unordered operators are sorted where the reference's own order varies, times near the
 * present become one.
 */
export function normalOperand(operand: Operand, ordered: boolean): unknown {
  if ('variable' in operand) return { variable: operand.variable };
  if ('value' in operand) return { value: typeof operand.value === 'string' ? timeless(operand.value) : operand.value };
  const { operator, operands = [] } = operand.expression;
  const parts = operands.map((part) => normalOperand(part, ordered));
  const isSorted = operator === 'struct' || (!ordered && (operator === 'and' || operator === 'or'));
  return { operator, operands: isSorted ? parts.map((part) => JSON.stringify(part)).sort() : parts };
}

/** `@now`, whatever is subtracted from it. */
function timeless(value: string): string {
  if (value.startsWith('@now')) return '@now';
  return NOW.test(value) && Math.abs(Date.parse(value) - Date.now()) < 400 * 24 * 3_600_000 ? '@now' : value;
}
