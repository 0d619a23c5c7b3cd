import type { PolicyBundle } from '../policy/index.js';
import type { Settings } from './options.js';
import type { PlanRequest, PlanResult } from './plan-resources.js';

/**
 * What a compiled bundle exports as `policies`, with what plans by them. A bundle brings its planner: who only checks does not carry one, and the
 * terms that its conditions leave are met by the library that made them.
 */
export interface PlannedBundle extends PolicyBundle {
  /** Absent where policies were compiled for checks only. */
  readonly planner?: Planner;
}

/** Makes the planner of a bundle, when an engine is first asked for a plan. */
export type Planner = (bundle: PolicyBundle, settings: Settings) => Plan;

/** Plans. Never throws. */
export type Plan = (request: PlanRequest) => PlanResult;
