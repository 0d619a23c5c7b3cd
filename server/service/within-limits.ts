import { EvaluationLimitError } from '../../runtime/engine/index.js';
import type { Call } from './call.js';
import { RpcError } from './rpc-error.js';
import { tellExceeded } from './watch.js';
import type { Exceeded, Watcher } from './watcher.js';

/**
 * The error of a call whose engine threw. If it exceeded `engine.limits`, the watchers are notified, and the call fails
 * without a decision.
 */
export function reportExceeded(
  error: unknown,
  service: { readonly watchers: readonly Watcher[] },
  call: Call,
  question: () => Exceeded['question'],
): unknown {
  if (!(error instanceof EvaluationLimitError)) return error;
  tellExceeded(service.watchers, call, { error: error.message, reason: error.reason, question: question() });
  return new RpcError('resource_exhausted', error.message);
}
