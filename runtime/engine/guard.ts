import { beginLimit, DEFAULT_COST, DEFAULT_MEMORY, EvaluationLimitError, endLimit, renewMemory } from '../cel/index.js';
import { entryOf } from './entry-of.js';
import type { Evaluation } from './evaluation.js';
import type { EvaluationLimits, Guard, Limited } from './limits.js';
import type { PlanRequest, PlanResult } from './plan-request.js';
import type { AccessRequest, CheckRequest, CheckResult } from './requests.js';
import { FEW_ROLES, roleClasses, Speakers } from './role-classes.js';

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
  if (collectsOutputs) evaluation.speakers = new Speakers(classes);
  else evaluation.judgedRoles = classes.first;
}

function costOf({ evaluationCost = DEFAULT_COST }: EvaluationLimits): number {
  return evaluationCost;
}

function memoryOf({ evaluationMemory = DEFAULT_MEMORY }: EvaluationLimits): number {
  return evaluationMemory;
}
