/** The engine, as applications import it (`authz/runtime`). */
export { chainOf, delegation, MAX_ACTORS } from './actors.js';
export type { CompiledBundle } from './bundle.js';
export { capabilities } from './capabilities.js';
export type {
  CapabilitiesRequest,
  Capability,
  CapabilityEngine,
  PartialCapabilitiesRequest,
  PartialRowOf,
  PlanCapabilitiesRequest,
  RowOf,
} from './capability-requests.js';
export { type EffectivePolicy, type EvaluationError, type Explanation, mergeErrors } from './decision-trace.js';
export { createEngine, type Engine } from './engine.js';
export { explanations } from './explain.js';
export type { EngineOptions, EnginePart, TenantRolesView } from './options.js';
export { EvaluationLimitError } from '../../packages/cel/runtime/meter.js';
export type { EvaluationLimits } from './limits.js';
export type {
  FactNames,
  MakePartialDecider,
  PartialAnswer,
  PartialDecider,
  PartialOptions,
} from './partial-decider.js';
export type {
  AccessRequest,
  AccessRequestOf,
  ActionDecision,
  ActorInput,
  AuxDataInput,
  CheckRequest,
  CheckRequestOf,
  CheckResult,
  DecidingRoles,
  DefinedRoles,
  GivenRoles,
  GivenRolesRequest,
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
  RolesRequest,
  SchemaEnforcement,
  TenantDocument,
  TenantDocuments,
  TenantRole,
  UnplannedRule,
  ValidationError,
} from './requests.js';
export type { PlanSubjects, SubjectPlan, SubjectPlanRequest, SubjectProblem } from './subject-plans.js';
export {
  Grants,
  proveTenantDocument,
  TENANT_DOCUMENT_LIMITS,
  TenantDocumentError,
} from './tenants/document.js';
export { tenants, tenantsOf, type TenantsOptions } from './tenants/tenant-engine.js';
export { type RuleFilter, ruleFilters } from './rule-filters.js';
export { type Plan, type Planner, writingOf } from './plan/planner.js';
export { moreViolations, unlistedViolations } from '../../packages/json-schema/unlisted.js';
export type { CompiledTraces } from './decide/evaluation.js';
