import type { Attributes, Decision, Plan, PlanResource, Principal, Resource } from '../../proto/messages.js';
import type { EvaluationTime } from './call-times.js';

/**
 * What decides: the engine over a bundle, or a stand-in in a test. For a call that is traced, the times of its parts
 * are added to those it is given.
 */
export interface Decider {
  /** One decision for each entry, in order. Throws only for a bug: a condition that fails does not hold. */
  check(call: CheckCall, times?: EvaluationTime[]): readonly Decision[];
  /** On which resources all actions are allowed. */
  plan(call: PlanCall, times?: EvaluationTime[]): Plan;
  /** Does something in which all calls share the limits of one. */
  asOne<Result>(work: () => Result): Result;
}

export interface PlanCall {
  readonly principal: Principal;
  readonly resource: PlanResource;
  readonly actions: readonly string[];
  readonly auxData: VerifiedAuxData;
}

export interface CheckCall {
  readonly principal: Principal;
  readonly resources: readonly CheckEntry[];
  readonly auxData: VerifiedAuxData;
  readonly includeMeta: boolean;
}

export interface CheckEntry {
  readonly resource: Resource;
  readonly actions: readonly string[];
}

/** The claims of the tokens of a request (docs/spec/conditions.md#token-claims). */
export interface VerifiedAuxData {
  readonly jwt: Attributes;
  readonly jwts: { readonly [name: string]: { readonly claims: Attributes } };
}
