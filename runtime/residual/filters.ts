/**
 * Filters, for programs that match them against stored rows: their types, their evaluation in memory, their text, and
 * conditions of SQL.
 */
export { EvaluationLimitError } from '../../packages/cel/runtime/meter.js';
export { filterText } from './debug.js';
export { type Row, selects } from './evaluate.js';
export type { Filter } from './filter.js';
export type { Expression, JsonValue, Operand } from './operand.js';
export * from './sql/index.js';
