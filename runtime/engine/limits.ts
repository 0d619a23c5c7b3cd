import { beginLimit, DEFAULT_COST, DEFAULT_MEMORY, endLimit, EvaluationLimitError, renewMemory } from '../cel/index.js';
import { type Evaluation, OutputRoles } from './decide/evaluation.js';
import { FEW_ROLES, roleClasses } from './find/chains.js';
import { entryOf } from './find/tables.js';
import type { AccessRequest, CheckRequest, CheckResult, PlanRequest, PlanResult } from './requests.js';

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

/**
 * Keeps a call from costing more than its request weighs. Compiled bundles bring it, because their conditions charge
 * the meter of their own library.
 */
export const guard: Guard = {
  turn(evaluation: Evaluation, limits: EvaluationLimits): void {
    renewMemory(memoryOf(limits));
    if (evaluation.judgedRoles.length > FEW_ROLES) chooseRoles(evaluation);
  },
  passOn(error: unknown): void {
    if (error instanceof EvaluationLimitError) throw error;
    // A stack that overflows, or a string that no engine can hold.
    if (error instanceof RangeError) throw new EvaluationLimitError('depth');
  },
  runs(work: () => void, limits: EvaluationLimits): boolean {
    try {
      guard.asOne(work, limits);
      return true;
    } catch (error) {
      if (error instanceof EvaluationLimitError || error instanceof RangeError) return false;
      throw error;
    }
  },
  asOne(work, limits) {
    const outer = beginLimit(costOf(limits), memoryOf(limits));
    try {
      return work();
    } finally {
      endLimit(outer);
    }
  },
  limited: (engine, limits) => new LimitedEngine(engine, limits),
};

/** Limits each call. One function for all three methods would see three targets, and V8 would inline none of them. */
class LimitedEngine implements Limited {
  private readonly cost: number;
  private readonly memory: number;

  constructor(
    private readonly engine: Limited,
    limits: EvaluationLimits,
  ) {
    this.cost = costOf(limits);
    this.memory = memoryOf(limits);
  }

  check(request: CheckRequest): readonly CheckResult[] {
    const outer = beginLimit(this.cost, this.memory);
    try {
      return this.engine.check(request);
    } catch (error) {
      return fail(error);
    } finally {
      endLimit(outer);
    }
  }

  isAllowed(request: AccessRequest): boolean {
    const outer = beginLimit(this.cost, this.memory);
    try {
      return this.engine.isAllowed(request);
    } catch (error) {
      return fail(error);
    } finally {
      endLimit(outer);
    }
  }

  plan(request: PlanRequest): PlanResult {
    const outer = beginLimit(this.cost, this.memory);
    try {
      return this.engine.plan(request);
    } catch (error) {
      return fail(error);
    } finally {
      endLimit(outer);
    }
  }
}

function fail(error: unknown): never {
  guard.passOn(error);
  throw error;
}

/** One role of each class; where outputs are wanted all, of which those that say nothing are skipped. */
function chooseRoles(evaluation: Evaluation): void {
  const { resource, lineages, request, collectsOutputs } = evaluation;
  evaluation.roleClasses ??= new Map();
  const classes = entryOf(evaluation.roleClasses, resource, () =>
    roleClasses(request.principal.roles, resource, lineages),
  );
  if (collectsOutputs) evaluation.outputRoles = new OutputRoles(classes);
  else evaluation.judgedRoles = classes.first;
}

function costOf({ evaluationCost = DEFAULT_COST }: EvaluationLimits): number {
  return evaluationCost;
}

function memoryOf({ evaluationMemory = DEFAULT_MEMORY }: EvaluationLimits): number {
  return evaluationMemory;
}
