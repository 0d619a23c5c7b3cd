import { type Code, CODES, RpcError } from '../service/rpc-error.js';
import type { Services } from '../service/services.js';
import { tellBegan, tellEnded } from '../service/watch.js';
import type { Watcher } from '../service/watcher.js';
import type { TransportCall } from './transport-call.js';

/**
 * Reports a received call to the watchers, if there are any. The peer is read now: later the connection may be closed.
 */
export function begin(watchers: readonly Watcher[], call: TransportCall): void {
  if (watchers.length === 0) return;
  call.peer();
  tellBegan(watchers, call);
}

/**
 * Answers a call: at once or, with `audit.delivery: before_reply`, after the audit log has its entries. If the audit
 * log cannot store them, the call is refused.
 *
 * @param code how the call ends; undefined: it succeeds.
 */
export function deliver(
  services: Services,
  call: TransportCall,
  code: Code | undefined,
  answer: () => void,
  refuse: (error: RpcError) => void,
): void {
  // A call without an id creates no entries.
  if (services.deliver === undefined || call.id === '') return answer();
  services
    .deliver(call, { code, requestContext: call.requestContext })
    .then(answer, () => refuse(new RpcError('unavailable', 'the audit log cannot be written')))
    .catch((error) => services.report('an answer could not be sent', error));
}

/** Reports a successful call to the watchers; sizes in bytes. */
export function end(
  watchers: readonly Watcher[],
  call: TransportCall,
  requestSize: number,
  responseSize: number,
): void {
  if (watchers.length === 0) return;
  const { requestContext } = call;
  tellEnded(watchers, call, {
    code: undefined,
    message: '',
    httpStatus: 200,
    requestSize,
    responseSize,
    requestContext,
  });
}

/**
 * Reports a refused call to the watchers. The HTTP status is that of the code, except in gRPC, where it is always 200.
 */
export function endFailed(
  watchers: readonly Watcher[],
  call: TransportCall,
  error: RpcError,
  requestSize: number,
  responseSize: number,
): void {
  if (watchers.length === 0) return;
  const { code, message } = error;
  const isFramed = call.protocol === 'grpc' || call.protocol === 'grpc-web';
  const httpStatus = isFramed ? 200 : call.protocol === 'rest' ? error.restStatus : CODES[code].httpStatus;
  tellEnded(watchers, call, {
    code,
    message,
    httpStatus,
    requestSize,
    responseSize,
    requestContext: call.requestContext,
  });
}
