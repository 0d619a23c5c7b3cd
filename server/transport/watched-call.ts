import { CODES, type RpcError } from '../service/rpc-error.js';
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
