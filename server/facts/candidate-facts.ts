import type { FactDeciders } from '../../runtime/facts/deciders.js';
import { decideKnown, listReadByPlan } from '../../runtime/facts/known-decisions.js';
import type { AccessRequest } from '../../runtime/engine/index.js';
import type { PlanCall } from '../service/decider.js';

/** What a candidate decides while facts are unknown. */
export interface CandidateFacts {
  readonly decide: (request: AccessRequest, unknown: ReadonlySet<string>) => boolean | ReadonlySet<string>;
  /** Those of some facts that a plan reads. */
  readonly readByPlan: (plan: PlanCall, facts: readonly string[]) => readonly string[];
}

/** Lets a candidate decide on the facts of a call that another bundle has decided: it fetches none. */
export function createCandidateFacts(deciders: FactDeciders): CandidateFacts {
  return {
    decide: (request, unknown) => decideKnown(deciders, request, unknown),
    readByPlan: (plan, facts) => listReadByPlan(deciders, plan, facts),
  };
}
