/**
 * The residuals of conditions when only part of a request is known, the filters made of them, and their evaluation
 * (planner.md).
 */
export { sameCondition } from './alike.js';
export { allOf, anyOf, decided, noneOf, not, unplannableReason } from './condition.js';
export { type Algebra, type Attempt, LENIENT, STRICT } from './algebra.js';
export { call, list, stored, struct, typeName } from './call.js';
export { operandText, filterText } from './debug.js';
export { type Row as EvaluatedRow, selects, selectsWith } from './evaluate.js';
export { FLAT, type Filter, filterOf, filterOfAll, NULLS, REFERENCE, sameFilter, type Writing } from './filter.js';
export { isSet, orNull, rolesOf } from './variables.js';
export { and, complement, conditional, or } from './logic.js';
export { bind, type Body, macro } from './macros.js';
export type { Expression, JsonValue, Operand, Shapes } from './operand.js';
export {
  add,
  atLeast,
  atMost,
  divide,
  equals,
  greaterThan,
  inCollection,
  lessThan,
  modulo,
  multiply,
  negate,
  notEquals,
  subtract,
  timeSince,
} from './operators.js';
export { ANY_ROW, type Row, rowOf } from './row.js';
export { ofRow } from './row-term.js';
export { sharedCondition } from './shared.js';
export { has, index, optionalIndex, optionalSelect, select } from './selection.js';
export { type Condition, type PossibleRole, type Term, Unknown, unplannable } from './term.js';
export { holds } from './truth.js';
