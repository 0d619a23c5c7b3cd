/** The parts of the engine that bundles bring where their policies need them, and the types of what bundles export. */
export { type CompiledBundle, compiledBundle } from './bundle.js';
export { type EngineOptions, systemClock } from './options.js';
export type { CompiledTraces } from './decide/evaluation.js';
export { type Allowance, allowancesOf } from './plan/allowance.js';
export { planner } from './plan/planner.js';
export { PlanQuery } from './plan/query.js';
export { principalJudge } from './decide/principals.js';
export { ScopeSet } from './find/chains.js';
export { loadedByScope, tracedByScope, type TracedLists } from './find/scoped-policies.js';
export { roleJudge } from './decide/role-policies.js';
export { guard } from './limits.js';
export { requireAccess, requireResource, requireText } from './input.js';
export { requestedScope, withoutDot } from './requests.js';
export { type ComputedEntry, type ComputedFor, type ComputedValues, computedValues } from './computed-values.js';
export { visitRules } from './decide/visit-rules.js';
export { type Surveyor, surveyParts } from './decide/survey.js';
export { computedRoles } from './computed-roles.js';
export type {
  Change,
  Clause,
  ConditionTree,
  DecidingRule,
  ExplainedDerivedRole,
  ExplainedRule,
  Explainer,
  Explanation,
  FilePlace,
  NearMisses,
  Outcome,
  ReadValue,
  SearchOptions,
  Step,
  Verdict,
} from './explanation.js';
