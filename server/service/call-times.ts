/*
 * When the parts of a call began and ended, by `performance.now()`, in milliseconds. Only traced calls are measured in
 * this detail: code that does a part records its time only if it receives an object to record it in.
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
  /** Why the token was refused, without any part of it; undefined for a valid one. */
  readonly refusal: string | undefined;
}

/** A source was asked for rows that a call needs; those of its cache are among them. */
export interface FetchTime extends Period {
  /** Its name. */
  readonly source: string;
  /** The kind that it is of, or `principal`. */
  readonly of: string;
  readonly keys: number;
  /** How many keys have a row. */
  readonly rows: number;
  /** `fetched`, `stale` if the source failed and rows are older than they should be, or why rows are lacking. */
  readonly outcome: string;
}

/** One call of the engine. */
export interface DecisionTimes {
  readonly start: number;
  /**
   * Times of evaluations: for a check one for each resource, in order, for a plan exactly one; empty if the decider
   * does not report them.
   */
  readonly evaluations: readonly EvaluationTime[];
}

export interface EvaluationTime extends Period {
  /**
   * When attributes were validated against the schemas of the policy; undefined if there are none, or the action is
   * exempt.
   */
  readonly schema: Period | undefined;
}

/** An audit entry was created and passed to the audit log. */
export interface EntryTime extends Period {
  readonly kind: 'access' | 'decision';
}
