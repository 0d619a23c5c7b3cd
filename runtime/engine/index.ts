/** The engine, as applications import it (`authz/runtime`). */
export {
  type AuditedEngine,
  createAuditedEngine,
  type EffectivePolicy,
  type EvaluationError,
  type Explanation,
} from './explain.js';
export { createAuditedDelegationEngine, chainOf, createDelegationEngine, MAX_ACTORS } from './actors.js';
export { type CompiledBundle, createEngine, type Engine, type EngineOptions } from './engine.js';
export { EvaluationLimitError } from '../cel/meter.js';
export type { EvaluationLimits } from './limits.js';
export type {
  AccessRequest,
  AccessRequestOf,
  ActionDecision,
  ActorInput,
  AuxDataInput,
  CheckRequest,
  CheckRequestOf,
  CheckResult,
  OutputEntry,
  PlanRequest,
  PlanRequestOf,
  PlanResourceInput,
  PlanResult,
  PreparedPrincipal,
  PrincipalInput,
  PrincipalOptions,
  ResourceActions,
  ResourceInput,
  SchemaEnforcement,
  TenantDocument,
  TenantDocuments,
  TenantRole,
  UnplannedRule,
  ValidationError,
} from './requests.js';
export {
  Grants,
  proveTenantDocument,
  TENANT_DOCUMENT_LIMITS,
  TenantDocumentError,
} from './tenants/document.js';
export {
  createAuditedTenantEngine,
  createTenantEngine,
  type DecidingRoles,
  type DefinedRoles,
  type RolesRequest,
  type TenantEngine,
  type TenantEngineOptions,
  tenantsOf,
} from './tenants/tenant-engine.js';
export { type RuleFilter, ruleFilters } from './rule-filters.js';
export { type Plan, type Planner, writingOf } from './plan/planner.js';
export { moreViolations, unlistedViolations } from '../schema/unlisted.js';
export type { CompiledTraces } from './decide/evaluation.js';
