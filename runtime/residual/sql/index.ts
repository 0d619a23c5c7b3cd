/**
 * Filters as SQL conditions (docs/spec/plans.md#advice-for-adapters): parameters are bound, NULL has the meaning it has
 * for check, and a filter that cannot be translated exactly is refused.
 */
export { renderSql } from './render.js';
export type { RuleFilter, SqlCondition, SqlOptions, SqlParameter, SqlProblem } from './condition-result.js';
export type { Collation, SqlColumn, SqlColumns, SqlDialect, SqlRelation, SqlTable, SqlType } from './table.js';
