import type { PolicyBundle } from '../policy/index.js';
import type { Judges } from './judges.js';
import type { Guard } from './limits.js';
import type { Settings } from './options.js';
import type { PlanRequest, PlanResult } from './plan-request.js';

/**
 * What a compiled bundle exports as `policies`, with the parts of the engine that not every bundle needs: who only
 * checks does not carry a planner, who has no role policies nothing that judges by them. The terms that conditions
 * leave for a plan are met by the library that made them.
 */
export interface CompiledBundle extends PolicyBundle, Judges {
  /** Absent where policies were compiled for checks only. */
  readonly planner?: Planner;
  /** Absent where policies were written by hand. */
  readonly guard?: Guard;
}

/** Makes the planner of a bundle, when an engine is first asked for a plan. */
export type Planner = (bundle: CompiledBundle, settings: Settings) => Plan;

/** Plans. Never throws. */
export type Plan = (request: PlanRequest) => PlanResult;
