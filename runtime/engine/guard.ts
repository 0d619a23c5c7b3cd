import { beginLimit, EvaluationLimitError, endLimit, renewMemory } from '../cel/index.js';
import { entryOf } from './entry-of.js';
import type { Evaluation } from './evaluation.js';
import type { EvaluationLimits, Guard, Limited } from './limits.js';
import { FEW_ROLES, roleClasses, Speakers } from './role-classes.js';

/** Keeps a call from costing more than its request weighs. Compiled bundles bring it, because their conditions charge the meter of their own library. */
export const guard: Guard = {
  turn(evaluation: Evaluation, limits: EvaluationLimits): void {
    renewMemory(memoryOf(limits));
    const { roles } = evaluation.request.principal;
    evaluation.judgedRoles = roles;
    if (evaluation.speakers !== undefined) evaluation.speakers = undefined;
    if (roles.length > FEW_ROLES) chooseRoles(evaluation);
  },
  passOn(error: unknown): void {
    if (error instanceof EvaluationLimitError) throw error;
    // A stack that overflows, or a string that no engine can hold.
    if (error instanceof RangeError) throw new EvaluationLimitError('depth');
  },
  runs(work: () => void, limits: EvaluationLimits): boolean {
    const outer = begin(limits);
    try {
      work();
      return true;
    } catch (error) {
      if (error instanceof EvaluationLimitError || error instanceof RangeError) return false;
      throw error;
    } finally {
      endLimit(outer);
    }
  },
  limited(engine: Limited, limits: EvaluationLimits): Limited {
    const within = <Request, Answer>(decide: (request: Request) => Answer) => (request: Request): Answer => {
      const outer = begin(limits);
      try {
        return decide(request);
      } catch (error) {
        guard.passOn(error);
        throw error;
      } finally {
        endLimit(outer);
      }
    };
    return {
      check: within((request) => engine.check(request)),
      isAllowed: within((request) => engine.isAllowed(request)),
      plan: within((request) => engine.plan(request)),
    };
  },
};

/** One role of each class; where outputs are wanted all, of which those that say nothing are skipped. */
function chooseRoles(evaluation: Evaluation): void {
  const { resource, lineages, request, collectsOutputs } = evaluation;
  evaluation.roleClasses ??= new Map();
  const classes = entryOf(evaluation.roleClasses, resource, () => roleClasses(request.principal.roles, resource, lineages));
  if (collectsOutputs) evaluation.speakers = new Speakers(classes);
  else evaluation.judgedRoles = classes.first;
}

function begin(limits: EvaluationLimits): number {
  return beginLimit(limits.evaluationCost ?? 50_000_000, memoryOf(limits));
}

function memoryOf({ evaluationMemory = 100 * 1024 * 1024 }: EvaluationLimits): number {
  return evaluationMemory;
}
