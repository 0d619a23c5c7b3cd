import { isDeepStrictEqual } from 'node:util';
import { type Engine, EvaluationLimitError, type TenantDocuments } from '../../runtime/engine/index.js';
import type { PlanFilter } from '../../proto/gen/messages.js';
import type { CandidateFacts } from '../facts/candidate-facts.js';
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
      readonly unknown?: UnknownFacts | undefined;
    }
  | {
      readonly kind: 'plan';
      readonly time: number;
      readonly call: PlanCall;
      readonly filter: PlanFilter;
      readonly unknown?: Pick<UnknownFacts, 'principal'> | undefined;
    }
);

/** The facts that sources provide and that the call did not fetch: the candidate may need them. */
export interface UnknownFacts {
  readonly principal: readonly string[];
  readonly resources: readonly (readonly string[])[];
}

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
      readonly needs?: readonly string[];
    }
  /** The candidate does not differ where it can decide, and needs facts that the call did not fetch. */
  | { readonly result: 'needs'; readonly needs: readonly string[] }
  /** The candidate exceeds `engine.limits` where the current bundle did not. */
  | { readonly result: 'limited'; readonly message: string }
  /** The candidate throws. */
  | { readonly result: 'failed'; readonly message: string };

/** Answers an item with the candidate, and compares. Never throws. */
export function compare(
  candidate: Pick<Engine, 'check' | 'plan'>,
  item: ShadowItem,
  tenants?: TenantDocuments,
  facts?: CandidateFacts,
): Comparison {
  try {
    return item.kind === 'check'
      ? comparedCheck(
          item,
          candidate.check({ ...item.call, tenants }) as readonly Decision[],
          openActions(item, tenants, facts),
        )
      : comparedPlan(item, candidate, tenants, facts);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { result: error instanceof EvaluationLimitError ? 'limited' : 'failed', message };
  }
}

/** Whether an action is allowed whatever unknown facts are, or which of them it needs; undefined if all are known. */
type OpenActions = (index: number, action: string) => boolean | ReadonlySet<string> | undefined;

function openActions(
  { call, unknown }: Extract<ShadowItem, { readonly kind: 'check' }>,
  tenants: TenantDocuments | undefined,
  facts: CandidateFacts | undefined,
): OpenActions {
  return (index, action) => {
    const lacking = new Set([...(unknown?.principal ?? []), ...(unknown?.resources[index] ?? [])]);
    const entry = call.resources[index];
    if (facts === undefined || lacking.size === 0 || entry === undefined) return undefined;
    const { principal, auxData } = call;
    return facts.decide({ principal, resource: entry.resource, action, auxData, ...(tenants && { tenants }) }, lacking);
  };
}

function comparedCheck(
  { call, effects }: Extract<ShadowItem, { readonly kind: 'check' }>,
  decisions: readonly Decision[],
  open: OpenActions,
): Comparison {
  const differences: Difference[] = [];
  const needs = new Set<string>();
  for (const [index, { actions }] of decisions.entries()) {
    const kind = call.resources[index]?.resource.kind ?? '';
    for (const [at, { action, effect }] of actions.entries()) {
      const answer = open(index, action);
      if (typeof answer === 'object' || (answer !== undefined && answer !== (effect === 1))) {
        for (const fact of typeof answer === 'object' ? answer : ['disagreement']) needs.add(fact);
        continue;
      }
      if (effect === effects[index]?.[at]) continue;
      differences.push({ call: 'check', kind, action, change: effect === 1 ? 'deny_to_allow' : 'allow_to_deny' });
    }
  }
  const lacking = [...needs].sort();
  if (differences.length === 0) return needs.size === 0 ? { result: 'same' } : { result: 'needs', needs: lacking };
  const more = needs.size > 0 && { needs: lacking };
  return { result: 'different', differences, answer: { kind: 'check', decisions }, ...more };
}

function comparedPlan(
  { call, filter, unknown }: Extract<ShadowItem, { readonly kind: 'plan' }>,
  candidate: Pick<Engine, 'plan'>,
  tenants: TenantDocuments | undefined,
  facts: CandidateFacts | undefined,
): Comparison {
  const needs = facts?.readByPlan({ ...call, tenants }, unknown?.principal ?? []) ?? [];
  if (needs.length > 0) return { result: 'needs', needs };
  const plan = candidate.plan({ ...call, tenants }) as Plan;
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
