import type { Filter } from './filter.js';
import type { JsonValue, Operand } from './operand.js';

/** A filter as text (docs/spec/plans.md#debug-text). */
export function filterText(filter: Filter): string {
  switch (filter.kind) {
    case 'KIND_ALWAYS_ALLOWED':
      return '(true)';
    case 'KIND_ALWAYS_DENIED':
      return '(false)';
    case 'KIND_CONDITIONAL':
      return operandText(filter.condition);
  }
}

/** An operand as text: `(eq request.resource.attr.owner "alice")`. */
export function operandText(operand: Operand): string {
  if ('variable' in operand) return operand.variable;
  if ('value' in operand) return valueText(operand.value);
  const { operator, operands } = operand.expression;
  return `(${operator} ${operands.map(operandText).join(' ')})`;
}

/** JSON without white space; zero keeps its sign (docs/spec/plans.md#values). */
function valueText(value: JsonValue): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(',')}]`;
  if (Object.is(value, -0)) return '-0';
  return JSON.stringify(value);
}
