import { isDeepStrictEqual } from 'node:util';
import { type Engine, EvaluationLimitError, type TenantDocuments } from '../../runtime/engine/index.js';
import type { PlanFilter } from '../../proto/gen/messages.js';
import type { LoadedTenant } from '../service/call.js';
import type { CheckCall, Decision, Plan, PlanCall } from '../service/decider.js';

/** The documents of tenants of a call, with their digests: plain data. */
export type ShadowTenants = readonly (readonly [tenant: string, loaded: LoadedTenant])[];

/** A call of the engine that the current bundle has answered: plain data. */
export type ShadowItem = { readonly tenants?: ShadowTenants } & (
  | {
      readonly kind: 'check';
      /** When it was answered, in milliseconds since 1970. */
      readonly time: number;
      readonly call: CheckCall;
      /** 1 EFFECT_ALLOW, 2 EFFECT_DENY: for each resource, of each of its actions as decisions have them. */
      readonly effects: readonly (readonly (1 | 2)[])[];
    }
  | { readonly kind: 'plan'; readonly time: number; readonly call: PlanCall; readonly filter: PlanFilter }
);

/** How often answers differed about an action on a kind of resource. */
export interface Difference {
  readonly call: 'check' | 'plan';
  readonly kind: string;
  /** Empty for a plan about several. */
  readonly action: string;
  /**
   * `allow_to_deny` and `deny_to_allow` of checks. Of plans, the two kinds, as `conditional_to_always_denied`, or
   * `condition` if both are conditional.
   */
  readonly change: string;
}

/** What the candidate answered where it differs. */
export type CandidateAnswer =
  | { readonly kind: 'check'; readonly decisions: readonly Decision[] }
  | { readonly kind: 'plan'; readonly plan: Plan };

/** The result of comparing one item. */
export type Comparison =
  | { readonly result: 'same' }
  | {
      readonly result: 'different';
      readonly differences: readonly Difference[];
      readonly answer: CandidateAnswer;
    }
  /** The candidate exceeds `engine.limits` where the current bundle did not. */
  | { readonly result: 'limited'; readonly message: string }
  /** The candidate throws. */
  | { readonly result: 'failed'; readonly message: string };

/** Answers an item with the candidate, and compares. Never throws. */
export function compare(
  candidate: Pick<Engine, 'check' | 'plan'>,
  item: ShadowItem,
  tenants?: TenantDocuments,
): Comparison {
  try {
    return item.kind === 'check'
      ? comparedCheck(item, candidate.check({ ...item.call, tenants }) as readonly Decision[])
      : comparedPlan(item, candidate.plan({ ...item.call, tenants }) as Plan);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { result: error instanceof EvaluationLimitError ? 'limited' : 'failed', message };
  }
}

function comparedCheck(
  { call, effects }: Extract<ShadowItem, { readonly kind: 'check' }>,
  decisions: readonly Decision[],
): Comparison {
  const differences: Difference[] = [];
  for (const [index, { actions }] of decisions.entries()) {
    const kind = call.resources[index]?.resource.kind ?? '';
    for (const [at, { action, effect }] of actions.entries()) {
      if (effect === effects[index]?.[at]) continue;
      differences.push({ call: 'check', kind, action, change: effect === 1 ? 'deny_to_allow' : 'allow_to_deny' });
    }
  }
  if (differences.length === 0) return { result: 'same' };
  return { result: 'different', differences, answer: { kind: 'check', decisions } };
}

function comparedPlan({ call, filter }: Extract<ShadowItem, { readonly kind: 'plan' }>, plan: Plan): Comparison {
  // Data that was sent to a thread has lost its prototypes.
  const own = structuredClone(plan.filter);
  if (isDeepStrictEqual(own, filter)) return { result: 'same' };
  const change = own.kind === filter.kind ? 'condition' : `${nameFilter(filter)}_to_${nameFilter(own)}`;
  const [action = ''] = call.actions.length === 1 ? call.actions : [];
  const { filterDebug, matchedScopes, validationErrors, unplanned } = plan;
  return {
    result: 'different',
    differences: [{ call: 'plan', kind: call.resource.kind, action, change }],
    answer: { kind: 'plan', plan: { filter: own, filterDebug, matchedScopes, validationErrors, unplanned } },
  };
}

function nameFilter({ kind }: PlanFilter): string {
  return kind.replace('KIND_', '').toLowerCase();
}
