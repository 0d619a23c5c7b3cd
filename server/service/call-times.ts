/*
 * When the parts of a call began and ended, by `performance.now()`, in milliseconds. Only calls that are traced are
 * measured this closely: whoever does a part notes nothing unless it is handed something to note it in.
 */

export interface Period {
  readonly start: number;
  readonly end: number;
}

/** The tokens of a call, all together and one by one, were verified or refused (docs/spec/server.md#verification). */
export interface TokenTimes extends Period {
  readonly tokens: readonly TokenTime[];
  readonly isRefused: boolean;
}

export interface TokenTime extends Period {
  /** Why the token was refused, with no part of it; undefined for a good one. */
  readonly refusal: string | undefined;
}

/** One call of the engine. */
export interface DecisionTimes {
  readonly start: number;
  /** Of a check one for each resource, in order, of a plan the one; empty when the decider does not tell. */
  readonly evaluations: readonly EvaluationTime[];
}

export interface EvaluationTime extends Period {
  /**
   * When attributes were held against the schemas of the policy; undefined when there are none, or the action is
   * exempt.
   */
  readonly schema: Period | undefined;
}

/** An audit entry was made and handed to the audit log. */
export interface EntryTime extends Period {
  readonly kind: 'access' | 'decision';
}
