/** What each adapter of SQL exports beside its own functions. */
export type { RowAttributes, RowReader, RowResource } from './attributes.js';
export { ColumnTypeError } from './column-types.js';
export {
  type ConditionOptions,
  type MappedColumn,
  type MappedRelation,
  type Mapping,
  type PlannedFilter,
  UnsupportedPlanError,
} from './condition.js';
