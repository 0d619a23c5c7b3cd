import { type Code, RpcError, toRpcError } from '../service/rpc-error.js';
import type { Services } from '../service/services.js';
import type { TransportCall } from './transport-call.js';
import { begin, end, endFailed } from './watched-call.js';

/** The part of a protocol in a call with one request and one response. Everything else is the same for all of them. */
export interface UnaryProtocol<Call extends TransportCall, Answer> {
  /** Reads the headers of a call. Throws an RpcError for headers that the protocol refuses. Absent: it reads none. */
  readonly open?: (call: Call) => void;
  /** Decodes the request, decides, and encodes the response. Throws, or rejects with, an RpcError. */
  readonly run: (call: Call, body: Buffer) => Answer | Promise<Answer>;
  /** Whether the caller no longer waits for a response. Absent: callers wait as long as it takes. */
  readonly isLate?: (call: Call) => boolean;
  /** Sends a response, and returns its size in bytes. */
  readonly answer: (call: Call, answer: Answer) => number;
  /** Sends an error, and returns the size of the response in bytes. */
  readonly refuse: (call: Call, error: RpcError) => number;
}

/** The parts of a server that running a call needs. */
export type RunnerServices = Pick<Services, 'watchers' | 'report' | 'deliver'>;

/** Runs a call from its body to its response, and reports both to the watchers. */
export type UnaryRunner<Call> = (call: Call, body: Buffer) => void;

/**
 * Creates the runner of the calls of one route. A call is answered in the same turn, unless it has to wait for tokens,
 * a bundle, the documents of a tenant or the audit log. Hot: no closures per call (bench: server).
 */
export function createRunner<Call extends TransportCall, Answer>(
  { watchers, report, deliver }: RunnerServices,
  { open, run, isLate, answer, refuse }: UnaryProtocol<Call, Answer>,
): UnaryRunner<Call> {
  const sendAnswer = (call: Call, requestSize: number, result: Answer): void => {
    const size = answer(call, result);
    end(watchers, call, requestSize, size);
  };
  const sendError = (call: Call, requestSize: number, error: RpcError): void => {
    const size = refuse(call, error);
    endFailed(watchers, call, error, requestSize, size);
  };
  /** Sends a response once the audit log has the entries of the call; refuses the call if it cannot store them. */
  const sendStored = (
    store: NonNullable<RunnerServices['deliver']>,
    call: Call,
    requestSize: number,
    code: Code | undefined,
    send: () => void,
  ): void => {
    store(call, { code, requestContext: call.requestContext })
      .then(send, () => sendError(call, requestSize, new RpcError('unavailable', 'the audit log cannot be written')))
      .catch(reportUnsent);
  };
  const reportUnsent = (error: unknown): void => report('an answer could not be sent', error);
  const finish = (call: Call, requestSize: number, result: Answer): void => {
    if (isLate?.(call)) throw new RpcError('deadline_exceeded', 'context deadline exceeded');
    // A call without an id creates no entries.
    if (deliver === undefined || call.id === '') sendAnswer(call, requestSize, result);
    else sendStored(deliver, call, requestSize, undefined, () => sendAnswer(call, requestSize, result));
  };
  const fail = (call: Call, requestSize: number, thrown: unknown): void => {
    const error = toRpcError(thrown, report);
    if (deliver === undefined || call.id === '') sendError(call, requestSize, error);
    else sendStored(deliver, call, requestSize, error.code, () => sendError(call, requestSize, error));
  };
  return (call, body) => {
    const { length } = body;
    begin(watchers, call);
    try {
      open?.(call);
      const outcome = run(call, body);
      if (outcome instanceof Promise)
        outcome
          .then((result) => finish(call, length, result))
          .catch((thrown) => fail(call, length, thrown))
          .catch(reportUnsent);
      else finish(call, length, outcome);
    } catch (thrown) {
      fail(call, length, thrown);
    }
  };
}
