import { expression, type Operand } from './operand.js';

/**
 * `(c ? a : b) < d` is `c ? a < d : b < d`: the choice becomes a condition. An operand without a choice is returned
 * unchanged.
 *
 * @param step is called for each branch, and may throw: a branch repeats the operands beside the choice.
 */
export function withoutChoices(operand: Operand, step: () => void): Operand {
  if (!('expression' in operand)) return operand;
  const { operator, operands } = operand.expression;
  if (KEPT.has(operator)) return operand;
  const lifted = operands.map((part) => withoutChoices(part, step));
  const position = lifted.findIndex((part) => 'expression' in part && part.expression.operator === 'if');
  const choice = lifted[position];
  if (choice === undefined || !('expression' in choice)) return operand;
  const [condition, whenTrue, whenFalse] = choice.expression.operands as [Operand, Operand, Operand];
  const chosen = (branch: Operand): Operand => {
    step();
    return withoutChoices(expression(operator, ...lifted.with(position, branch)), step);
  };
  return expression('if', condition, chosen(whenTrue), chosen(whenFalse));
}

/** Operators that contain conditions, or that decide which of their operands count. */
const KEPT: ReadonlySet<string> = new Set([
  'if',
  'and',
  'or',
  'not',
  'unless',
  'lambda',
  'exists',
  'all',
  'exists_one',
  'filter',
  'map',
  'transformList',
  'transformMap',
  'transformMapEntry',
]);
