import { type Filter, filterOfAll, filterText, operandText, type Writing } from '../residual/index.js';
import { type Explanation, mergeErrors } from './decision-trace.js';
import type { PlanResult, UnplannedRule, ValidationError } from './requests.js';

/*
 * What several decisions about one request say together: those about a principal and its actors, and those with
 * different roles.
 */

/**
 * A plan that selects what all of several plans select.
 * @param others what the plans say about more than rows, joined.
 */
export function intersection(
  plans: readonly PlanResult[],
  writing: Writing,
  others: Pick<PlanResult, 'matchedScopes' | 'validationErrors'>,
): PlanResult {
  const filter = filterOfAll(
    plans.map((plan) => plan.filter),
    writing,
    operandText,
  );
  return new Intersection(filter, plans, others);
}

class Intersection implements PlanResult {
  readonly matchedScopes: PlanResult['matchedScopes'];
  readonly validationErrors: readonly ValidationError[];
  readonly unplanned: readonly UnplannedRule[];

  constructor(
    readonly filter: Filter,
    private readonly plans: readonly PlanResult[],
    { matchedScopes, validationErrors }: Pick<PlanResult, 'matchedScopes' | 'validationErrors'>,
  ) {
    this.matchedScopes = matchedScopes;
    this.validationErrors = validationErrors;
    this.unplanned = distinct(
      plans.flatMap(({ unplanned }) => unplanned),
      ({ policy, rule, reason }) => JSON.stringify([policy, rule, reason]),
    );
  }

  get filterDebug(): string {
    const unmatched = this.plans.map(({ filterDebug }) => filterDebug).find((text) => text === 'NO_MATCH');
    return unmatched ?? filterText(this.filter);
  }
}

/**
 * What is explained of several decisions about one request, as one explanation.
 * @param rolesOf the derived roles of a resource, of those of each decision.
 */
export function joined(
  explanations: readonly Explanation[],
  rolesOf: (ofResource: readonly (readonly string[])[]) => readonly string[],
): Explanation {
  const lists = explanations.map(({ evaluationErrors }) => evaluationErrors);
  // Without derived roles it is of a plan or exceeds a limit, and has one list.
  const isOfResources = explanations.every(({ effectiveDerivedRoles }) => effectiveDerivedRoles !== undefined);
  const first = isOfResources ? explanations[0]?.effectiveDerivedRoles : undefined;
  return {
    evaluationErrors: first?.map((_, index) =>
      mergeErrors({ evaluationErrors: lists.map((list) => list[index] ?? []) }),
    ) ?? [mergeErrors({ evaluationErrors: lists.flat() })],
    effectivePolicies: distinct(
      explanations.flatMap(({ effectivePolicies }) => effectivePolicies),
      ({ policy }) => policy,
    ),
    effectiveDerivedRoles: first?.map((_, index) =>
      rolesOf(explanations.map(({ effectiveDerivedRoles }) => effectiveDerivedRoles?.[index] ?? [])),
    ),
  };
}

/** One of each key, sorted by it. */
export function distinct<Item>(items: readonly Item[], keyOf: (item: Item) => string): readonly Item[] {
  const byKey = new Map(items.map((item) => [keyOf(item), item] as const));
  return [...byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}
