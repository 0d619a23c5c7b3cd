import {
  beginLimit,
  DEFAULT_COST,
  DEFAULT_MEMORY,
  endLimit,
  EvaluationLimitError,
  NotJsonError,
  renewMemory,
} from '../../packages/cel/runtime/index.js';
import { type Evaluation, OutputRoles } from './decide/evaluation.js';
import { FEW_ROLES, roleClasses } from './find/chains.js';
import { findOrMake } from './find/tables.js';
import { type Asked, nameField } from './input.js';

/** Limits on the conditions of one call. A call that exceeds one throws an `EvaluationLimitError`. */
export interface EvaluationLimits {
  /** Limit in steps of about ten nanoseconds. Default: 50,000,000. */
  readonly evaluationCost?: number | undefined;
  /** Limit for the values that conditions create, in bytes; in a check, for each resource. Default: 100 MiB. */
  readonly evaluationMemory?: number | undefined;
}

/** Limits with their defaults. */
export type ResolvedLimits = { readonly [Limit in keyof EvaluationLimits]-?: number };

/** Fills in the default of each limit that is not given. */
export function resolveLimits({
  evaluationCost = DEFAULT_COST,
  evaluationMemory = DEFAULT_MEMORY,
}: EvaluationLimits = {}): ResolvedLimits {
  return { evaluationCost, evaluationMemory };
}

/** Limits the cost of calls. Bundles that are written by hand lack it and are not limited. */
export interface Guard {
  /**
   * Begins with a resource, once its chain is known and whether outputs are requested: renews the memory, and selects
   * which of many roles to judge.
   */
  turn(evaluation: Evaluation, limits: ResolvedLimits): void;
  /** Throws an error that was caught during a decision, if it has to fail the call. */
  passOn(error: unknown): void;
  /** Begins a call. Returns whether it is the outermost, which `end` needs to know. */
  begin(limits: ResolvedLimits): boolean;
  /** Ends a call. */
  end(isOutermost: boolean): void;
  /** Throws the error of a call: one about a value that is not JSON names its field in the request. */
  fail(error: unknown, asked: Asked): never;
  /**
   * Runs `work` under the limits of a single call.
   * @param asked the request, if `work` is a call about it: then it fails as `fail` does.
   */
  asOne<Result>(work: () => Result, limits: EvaluationLimits, asked?: Asked): Result;
}

/** Compiled bundles bring it, as their conditions charge the meter of their own copy of the library. */
export const guard: Guard = {
  turn(evaluation: Evaluation, { evaluationMemory }: ResolvedLimits): void {
    renewMemory(evaluationMemory);
    if (evaluation.judgedRoles.length > FEW_ROLES) chooseRoles(evaluation);
  },
  passOn(error: unknown): void {
    if (error instanceof EvaluationLimitError) throw error;
    // A stack that overflows, or a string that no engine can hold.
    if (error instanceof RangeError) throw new EvaluationLimitError('depth');
  },
  asOne(work, limits, asked) {
    const isOutermost = this.begin(resolveLimits(limits));
    try {
      return work();
    } catch (error) {
      if (asked !== undefined) this.fail(error, asked);
      throw error;
    } finally {
      endLimit(isOutermost);
    }
  },
  begin({ evaluationCost, evaluationMemory }) {
    return beginLimit(evaluationCost, evaluationMemory);
  },
  end: endLimit,
  fail(error: unknown, asked: Asked): never {
    if (error instanceof NotJsonError) nameField(asked);
    this.passOn(error);
    throw error;
  },
};

/** Selects one role of each class; if outputs are requested all roles, without those that have no outputs. */
function chooseRoles(evaluation: Evaluation): void {
  const { resource, lineages, request, collectsOutputs } = evaluation;
  evaluation.roleClasses ??= new Map();
  const classes = findOrMake(evaluation.roleClasses, resource, () =>
    roleClasses(request.principal.roles, resource, lineages),
  );
  if (collectsOutputs) evaluation.outputRoles = new OutputRoles(classes);
  else evaluation.judgedRoles = classes.first;
}
