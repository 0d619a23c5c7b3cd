import type { CheckResourcesRequest, PlanResourcesRequest } from '../../proto/gen/messages.js';
import type { CheckEntry, Decision, Plan, VerifiedAuxData } from './decider.js';
import type { Call } from './call.js';
import type { FactsOfCheck } from './facts.js';
import type { DecisionTimes, EntryTime, FetchTime, Period, TokenTimes } from './call-times.js';
import type { Code } from './rpc-error.js';

/**
 * Observes calls: metrics, traces, the log, the audit log. A watcher does not change responses: it is notified of
 * events, returns at once and must not throw. Slow work happens after the reply, from a bounded queue.
 */
export interface Watcher {
  /** A call has started; its body has not been read. */
  readonly began?: (call: Call) => void;
  /** Decisions have been made; the answer is yet to be sent. */
  readonly checked?: (call: Call, check: Checked) => void;
  readonly planned?: (call: Call, plan: Planned) => void;
  /** Deciding or planning would have cost more than is allowed: the call fails. */
  readonly exceeded?: (call: Call, exceeded: Exceeded) => void;
  /** The call is answered. */
  readonly ended?: (call: Call, end: CallEnd) => void;
  /** The tokens of the call were verified or refused. This and what follows is only told of calls that are traced. */
  readonly verified?: (call: Call, times: TokenTimes) => void;
  /** A source was asked, and has answered or failed. */
  readonly fetched?: (call: Call, fetch: FetchTime) => void;
  /** The answer has been put together from the decisions. */
  readonly assembled?: (call: Call, time: Period) => void;
  /** An audit entry has been made; the call may have ended by then. */
  readonly audited?: (call: Call, time: EntryTime) => void;
}

/**
 * Resolves when the audit log has the entries of a call that is about to be answered; rejects when it cannot have them.
 */
export type Deliver = (call: Call, end: Pick<CallEnd, 'code' | 'requestContext'>) => Promise<void>;

/** One call of the engine about resources: an audit entry is made of it (docs/spec/server.md#decision-entries). */
export interface Checked {
  readonly requestId: string;
  readonly principal: NonNullable<CheckResourcesRequest['principal']>;
  readonly resources: readonly CheckEntry[];
  /** One for each resource, in order. */
  readonly decisions: readonly Decision[];
  /** Claims, never tokens. */
  readonly auxData: VerifiedAuxData;
  readonly requestContext: CheckResourcesRequest['requestContext'];
  /** Whether the caller asked for the derived roles: without, decisions do not name them. */
  readonly includeMeta: boolean;
  /** How long the engine took, in milliseconds. */
  readonly duration: number;
  /** Times of a call that is traced. */
  readonly times?: DecisionTimes | undefined;
  /** What sources provided; undefined if nothing was fetched. */
  readonly facts?: FactsOfCheck | undefined;
}

/** One call of the planner. */
export interface Planned {
  /** The request, with the facts that were fetched. */
  readonly request: PlanResourcesRequest;
  readonly plan: Plan;
  readonly auxData: VerifiedAuxData;
  readonly duration: number;
  /** Times of a call that is traced. */
  readonly times?: DecisionTimes | undefined;
  /** The facts of the principal that are not known; undefined if nothing was fetched. */
  readonly unknown?: readonly string[] | undefined;
}

/** What was asked of the engine when it gave up. */
export interface Exceeded {
  /** The error that the caller receives. */
  readonly error: string;
  readonly reason: 'cost' | 'depth';
  readonly question:
    | ({ readonly kind: 'check' } & Pick<
        Checked,
        'requestId' | 'principal' | 'resources' | 'auxData' | 'requestContext'
      >)
    | ({ readonly kind: 'plan' } & Pick<Planned, 'request' | 'auxData'>);
}

/** How a call ended. */
export interface CallEnd {
  /** Undefined: answered as asked. */
  readonly code: Code | undefined;
  /** What the caller was told; empty when all was well. */
  readonly message: string;
  /** Status of the HTTP answer; 200 for gRPC. */
  readonly httpStatus: number;
  /** Size in bytes. */
  readonly requestSize: number;
  readonly responseSize: number;
  /** Context for the access entry. */
  readonly requestContext: CheckResourcesRequest['requestContext'];
}
