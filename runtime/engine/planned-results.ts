import { sameCondition, allOf, anyOf, type Condition, not } from '../residual/index.js';

/** A rule whose result others share, where one of them may have been visited. */
export interface SharedVisit {
  /** Where the visit happens. */
  readonly reached: Condition;
  readonly holds: Condition;
}

/**
 * The results that rules share with those of their identity (docs/spec/policy-language.md#rules-that-share-a-name),
 * while one action is planned: the rule that is visited first decides for all, and which that is may depend on the row.
 */
export class PlannedResults {
  private readonly visits = new Map<string, SharedVisit[]>();

  /** What a rule comes to at a visit; the visit counts for those after it. */
  visit(identity: string, own: SharedVisit): Condition {
    const known = this.visits.get(identity) ?? [];
    this.visits.set(identity, [...known, own]);
    if (known.every(({ holds }) => sameCondition(holds, own.holds))) return own.holds;
    return known.reduceRight<Condition>(
      (rest, { reached, holds }) => anyOf(allOf(reached, holds), allOf(not(reached), rest)),
      own.holds,
    );
  }

  /** Where a rule of an identity has been visited before the visit that was counted last. */
  visitedBefore(identity: string): Condition {
    return anyOf(...(this.visits.get(identity) ?? []).slice(0, -1).map(({ reached }) => reached));
  }
}
