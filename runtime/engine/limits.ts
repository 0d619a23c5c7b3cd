import {
  beginLimit,
  DEFAULT_COST,
  DEFAULT_MEMORY,
  endLimit,
  EvaluationLimitError,
  NotJsonError,
  renewMemory,
} from '../cel/index.js';
import { type Evaluation, OutputRoles } from './decide/evaluation.js';
import { FEW_ROLES, roleClasses } from './find/chains.js';
import { entryOf } from './find/tables.js';
import { type Asked, nameField } from './input.js';
import type {
  AccessRequest,
  CheckRequest,
  CheckResult,
  PlanRequest,
  PlanResult,
  PrincipalInput,
  PrincipalOptions,
  ResourceInput,
  UntypedPrincipal,
} from './requests.js';

/** Limits on the conditions of one call. A call that exceeds one throws an `EvaluationLimitError`. */
export interface EvaluationLimits {
  /** In steps of about ten nanoseconds. Default: 50,000,000. */
  readonly evaluationCost?: number | undefined;
  /** For the values that conditions create, in bytes; in a check, for each resource. Default: 100 MiB. */
  readonly evaluationMemory?: number | undefined;
}

/** Limits the cost of calls. Bundles that are written by hand lack it and are not limited. */
export interface Guard {
  /**
   * Begins with a resource, once its chain is known and whether outputs are requested: renews the memory, and selects
   * which of many roles to judge.
   */
  turn(evaluation: Evaluation, limits: EvaluationLimits): void;
  /** Throws an error that was caught during a decision, if it has to fail the call. */
  passOn(error: unknown): void;
  /** Runs something in which all calls together have the limits of one call. */
  asOne<Result>(work: () => Result, limits: EvaluationLimits): Result;
  /** The engine with limited calls. */
  limited(engine: Limited, limits: EvaluationLimits): Limited;
}

/** The calls of an engine that are limited. */
export interface Limited {
  readonly check: (request: CheckRequest) => readonly CheckResult[];
  readonly isAllowed: (request: AccessRequest) => boolean;
  readonly plan: (request: PlanRequest) => PlanResult;
  readonly for: (principal: PrincipalInput, options?: PrincipalOptions) => UntypedPrincipal;
}

/** Compiled bundles bring it, as their conditions charge the meter of their own copy of the library. */
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
  asOne(work, limits) {
    const isOutermost = beginLimit(costOf(limits), memoryOf(limits));
    try {
      return work();
    } finally {
      endLimit(isOutermost);
    }
  },
  limited: (engine, limits) => new LimitedEngine(engine, limits),
};

/** Limits each call. A function shared by the methods would be megamorphic, and V8 would not inline it. */
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
    const isOutermost = beginLimit(this.cost, this.memory);
    try {
      return this.engine.check(request);
    } catch (error) {
      return fail(error, request);
    } finally {
      endLimit(isOutermost);
    }
  }

  isAllowed(request: AccessRequest): boolean {
    const isOutermost = beginLimit(this.cost, this.memory);
    try {
      return this.engine.isAllowed(request);
    } catch (error) {
      return fail(error, request);
    } finally {
      endLimit(isOutermost);
    }
  }

  for(principal: PrincipalInput, options?: PrincipalOptions): UntypedPrincipal {
    return new LimitedPrincipal(this.engine.for(principal, options), this.cost, this.memory);
  }

  plan(request: PlanRequest): PlanResult {
    const isOutermost = beginLimit(this.cost, this.memory);
    try {
      return this.engine.plan(request);
    } catch (error) {
      return fail(error, request);
    } finally {
      endLimit(isOutermost);
    }
  }
}

class LimitedPrincipal implements UntypedPrincipal {
  constructor(
    private readonly principal: UntypedPrincipal,
    private readonly cost: number,
    private readonly memory: number,
  ) {}

  can(action: string, resource: ResourceInput): boolean {
    const isOutermost = beginLimit(this.cost, this.memory);
    try {
      return this.principal.can(action, resource);
    } catch (error) {
      return fail(error, { resource });
    } finally {
      endLimit(isOutermost);
    }
  }
}

function fail(error: unknown, asked: Asked): never {
  if (error instanceof NotJsonError) nameField(asked);
  guard.passOn(error);
  throw error;
}

/** Selects one role of each class; if outputs are requested all roles, without those that have no outputs. */
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
