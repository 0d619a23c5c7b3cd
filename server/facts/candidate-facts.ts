import type { FactDeciders } from '../../runtime/facts/deciders.js';
import { decideKnown, listReadByPlan } from '../../runtime/facts/gather.js';
import type { CandidateFacts } from '../rollout/comparison.js';

/** Lets a candidate decide on the facts of a call that another bundle has decided: it fetches none. */
export function createCandidateFacts(deciders: FactDeciders): CandidateFacts {
  return {
    decide: (request, unknown) => decideKnown(deciders, request, unknown),
    readByPlan: (plan, facts) => listReadByPlan(deciders, plan, facts),
  };
}
