import { type Filter, type Operand, operandText } from '#runtime/residual';
import { visible } from '../../compiler/diagnostics/visible.js';

/**
 * A filter for reading: its kind, and below it an operator a line, its operands indented; one that has only leaves
 * stands on one line with them.
 */
export function filterTree(filter: Filter): string {
  const lines = filter.kind === 'KIND_CONDITIONAL' ? [filter.kind, ...treeOf(filter.condition, 1)] : [filter.kind];
  return `${lines.join('\n')}\n`;
}

function treeOf(operand: Operand, depth: number): readonly string[] {
  const indent = '  '.repeat(depth);
  if (!('expression' in operand)) return [`${indent}${leaf(operand)}`];
  const { operator, operands } = operand.expression;
  if (operands.every((inner) => !('expression' in inner)))
    return [`${indent}${[operator, ...operands.map(leaf)].join(' ')}`];
  return [`${indent}${operator}`, ...operands.flatMap((inner) => treeOf(inner, depth + 1))];
}

function leaf(operand: Operand): string {
  return visible(operandText(operand));
}
