/**
 * Filters as conditions of SQL (docs/spec/plans.md#advice-for-adapters): parameters are bound, NULL is read as check
 * reads it, and what cannot be said is refused.
 */
export { renderSql } from './render.js';
export type { RuleFilter, SqlCondition, SqlOptions, SqlParameter, SqlProblem } from './condition-result.js';
export type { Collation, SqlColumn, SqlDialect, SqlTable, SqlType } from './table.js';
