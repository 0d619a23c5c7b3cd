/**
 * Filters as SQL conditions (docs/spec/plans.md#advice-for-adapters): parameters are bound, NULL has the meaning it has
 * for check, and a filter that cannot be translated exactly is refused.
 */
export { renderSql } from './render.js';
export {
  type CapabilityOptions,
  type PlannedCapabilities,
  type PlannedCapability,
  type RefusedCapability,
  renderCapabilities,
  type SqlCapabilities,
  type SqlCapability,
} from './capabilities.js';
export { type CapabilityName, capabilityName } from './capability-names.js';
export {
  type MaskOptions,
  type Masks,
  renderColumnMasks,
  renderColumnSource,
  renderMaskedSource,
  renderMasks,
  type SqlMask,
  type SqlMaskedSource,
  type SqlMasks,
} from './masks.js';
export { renderSubjectQuery, renderSubjects, type SqlStatement, type SubjectOptions } from './subjects.js';
export { UnsupportedPlanError } from './unsupported-plan.js';
export type { RuleFilter, SqlCondition, SqlOptions, SqlParameter, SqlProblem } from './condition-result.js';
export type {
  Collation,
  SqlColumn,
  SqlColumns,
  SqlDialect,
  SqlRelation,
  SqlRowFilter,
  SqlTable,
  SqlType,
  SqlUsers,
} from './table.js';
