import type { Resource } from '../../proto/gen/messages.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import type { Waiting } from './bundle-choice.js';
import type { Call } from './call.js';
import type { CheckCall, Decision, PlanCall } from './decider.js';

/** What a call is about to ask of the engine: checks, and plans. */
export interface Asked {
  readonly checks?: readonly FactsQuestion[] | undefined;
  readonly plans?: readonly PlanCall[] | undefined;
}

/** A check as far as its facts depend on it. */
export type FactsQuestion = Pick<CheckCall, 'principal' | 'resources' | 'auxData' | 'includeMeta'>;

/**
 * The facts that sources provide (docs/sources.md). Calls fetch them before they are decided. What was not fetched is
 * unknown to those that complete a question, so that a call that forgets to fetch fails.
 */
export interface FactsService {
  /**
   * Fetches what the questions of a call may need: at once, which returns undefined, if there is nothing to fetch. Throws,
   * or rejects with, an RpcError for a fact that may not be sent.
   */
  readonly fetch: (call: Call, asked: Asked) => Waiting;
  /**
   * A check with the facts of its call. Throws an RpcError if a fact that matters is unknown, unless the configuration lets
   * it be denied and the answer need not be whole.
   */
  readonly completeCheck: <Question extends CheckCall>(
    call: Call,
    question: Question,
    isWhole?: boolean,
  ) => CompletedCheckCall<Question>;
  /**
   * Fetches all facts of a resource, for whatever is asked about it. Resolves with its attributes; undefined if one is not
   * available.
   */
  readonly fetchResource: (call: Call, resource: Resource) => Promise<Attributes | undefined>;
  /** Which of `roles`, `scope` and `policyVersion` sources say of principals, or with a kind of its resources. */
  readonly listSelectors: (kind: string | undefined) => ReadonlySet<string>;
  /** A plan with the facts of its call. Throws an RpcError if a fact that it reads of the principal is unknown. */
  readonly completePlan: (call: Call, plan: PlanCall) => CompletedPlanCall;
}

/** What became of a source, for the admin. */
export interface KnownSource {
  readonly name: string;
  readonly requests: number;
  readonly failures: number;
  readonly fetched: number;
  readonly unknown: number;
  /** Milliseconds since 1970; undefined: never. */
  readonly lastSuccess: number | undefined;
  readonly lastFailure: number | undefined;
  readonly lastError: string | undefined;
}

/** A check with the facts of its call. */
export interface CompletedCheckCall<Question extends CheckCall> {
  readonly question: Question;
  /** Decides at the instant at which the call began to fetch, and denies what cannot be decided. */
  readonly decide: (check: () => readonly Decision[]) => readonly Decision[];
  /** Where facts come from, and which ones are unknown; undefined if all were sent. */
  readonly facts: FactsOfCheck | undefined;
}

/** A plan with the facts of its call. */
export interface CompletedPlanCall {
  readonly plan: PlanCall;
  /** The facts of the principal that are not known, and that it does not read; undefined if nothing was fetched. */
  readonly unknown: readonly string[] | undefined;
}

/** What a check used of sources, for the audit log and for candidates. */
export interface FactsOfCheck {
  readonly principal: FactsOfSubject;
  readonly actors: readonly FactsOfSubject[];
  readonly resources: readonly FactsOfSubject[];
  /** Whether all is known on which derived roles and failures of conditions depend, by index of the resource. */
  readonly isWhole: (index: number) => boolean;
}

/** Facts of a principal or of a resource. */
export interface FactsOfSubject {
  /** The names of those that are not known. */
  readonly unknown: readonly string[];
  /** Those that sources returned. */
  readonly fetched: readonly FetchedFact[];
}

/** A fact that a source returned. */
export interface FetchedFact {
  readonly fact: string;
  readonly source: string;
  /** When the source was asked, in milliseconds since 1970. */
  readonly at: number;
  /** How long before the decision, in milliseconds. */
  readonly age: number;
  /** Whether the source failed, and this is what it returned before. */
  readonly stale?: true | undefined;
}
