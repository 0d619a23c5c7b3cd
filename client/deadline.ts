import type { CallOptions } from './authz-client.js';
import { AuthzError } from './authz-error.js';

/** The longest that timers of all platforms can wait. */
const LONGEST_TIMER = 2 ** 31 - 1;

/**
 * Runs a call until it is answered, aborted or out of time, whichever is first; then its signal is aborted and nothing
 * of it is waited for.
 *
 * @param timeout in milliseconds.
 * @param closed aborted when the client is closed.
 */
export function withDeadline<T>(
  call: (signal: AbortSignal) => Promise<T>,
  timeout: number,
  closed: AbortSignal,
  { signal }: CallOptions,
): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const controller = new AbortController();
    const giveUp = (error: AuthzError): void => {
      settle();
      reject(error);
      controller.abort(error);
    };
    const onClose = (): void => giveUp(new AuthzError('canceled', 'the client is closed'));
    const onAbort = (): void => giveUp(new AuthzError('canceled', 'the call was aborted', { cause: signal?.reason }));
    const onTime = (): void => giveUp(new AuthzError('deadline_exceeded', `no answer within ${timeout} ms`));
    const timer = timeout <= LONGEST_TIMER ? setTimeout(onTime, timeout) : undefined;
    const settle = (): void => {
      clearTimeout(timer);
      closed.removeEventListener('abort', onClose);
      signal?.removeEventListener('abort', onAbort);
    };
    if (closed.aborted) return onClose();
    if (signal?.aborted === true) return onAbort();
    closed.addEventListener('abort', onClose);
    signal?.addEventListener('abort', onAbort);
    call(controller.signal).then(resolve, reject).finally(settle);
  });
}
