import type { Evaluation } from './evaluation.js';
import type { PlanRequest, PlanResult } from './plan-request.js';
import type { AccessRequest, CheckRequest, CheckResult } from './requests.js';

/** How much the conditions of one call may cost. A call that needs more throws an `EvaluationLimitError`. */
export interface EvaluationLimits {
  /** In steps of about ten nanoseconds. 50,000,000 when absent. */
  readonly evaluationCost?: number | undefined;
  /** For the values that conditions make, in bytes; of a check, for each resource. 100 MiB when absent. */
  readonly evaluationMemory?: number | undefined;
}

/**
 * Keeps a call from costing more than its request weighs. Without it, as in bundles that are written by hand, nothing
 * is limited.
 */
export interface Guard {
  /**
   * Grants the memory of one resource, and chooses which of many roles to judge: once its chain is known, and whether
   * outputs are wanted.
   */
  turn(evaluation: Evaluation, limits: EvaluationLimits): void;
  /** Throws what was caught on the way of a decision, if the call has to fail. */
  passOn(error: unknown): void;
  /** Does something within the limits; false when it was stopped by one. */
  runs(work: () => void, limits: EvaluationLimits): boolean;
  /** Does something in which all calls share the limits of one. */
  asOne<Result>(work: () => Result, limits: EvaluationLimits): Result;
  /** The same engine, whose calls are limited. */
  limited(engine: Limited, limits: EvaluationLimits): Limited;
}

/** What is limited of an engine. */
export interface Limited {
  readonly check: (request: CheckRequest) => readonly CheckResult[];
  readonly isAllowed: (request: AccessRequest) => boolean;
  readonly plan: (request: PlanRequest) => PlanResult;
}
