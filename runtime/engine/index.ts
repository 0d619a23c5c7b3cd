/** The engine: how compiled policies are asked. */
export { type AuditedEngine, createAuditedEngine } from './audited-engine.js';
export type { EffectivePolicy } from './effective-policies.js';
export { createEngine, type Engine } from './engine.js';
export { EvaluationLimitError } from '../cel/meter.js';
export type { EvaluationError } from './evaluation-errors.js';
export type { EvaluationLimits } from './limits.js';
export type { EngineOptions, SchemaEnforcement } from './options.js';
export { type RuleFilter, ruleFilters } from './rule-filters.js';
export type { CompiledBundle, Plan, Planner } from './compiled-bundle.js';
export { moreViolations, unlistedViolations } from '../schema/unlisted.js';
export type { CompiledTraces } from './judges.js';
export type { PlanRequest, PlanResourceInput, PlanResult, UnplannedRule } from './plan-request.js';
export { writingOf } from './plan-resources.js';
export type {
  AccessRequest,
  ActionDecision,
  AuxDataInput,
  CheckRequest,
  CheckResult,
  OutputEntry,
  PrincipalInput,
  ResourceActions,
  ResourceInput,
  ValidationError,
} from './requests.js';
export type { AccessRequestOf, CheckRequestOf, PlanRequestOf } from './typed-requests.js';
