import { EvaluationLimitError } from '#runtime/engine';
import type { Call } from './call.js';
import { RpcError } from './rpc-error.js';
import { tellExceeded } from './watch.js';
import type { Exceeded, Watcher } from './watcher.js';

/**
 * Calls the engine. If the call exceeds `engine.limits`, the watchers are notified and the call fails without a
 * decision.
 */
export function withinLimits<Answer>(
  service: { readonly watchers: readonly Watcher[] },
  call: Call,
  question: () => Exceeded['question'],
  ask: () => Answer,
): Answer {
  try {
    return ask();
  } catch (error) {
    if (!(error instanceof EvaluationLimitError)) throw error;
    tellExceeded(service.watchers, call, { error: error.message, reason: error.reason, question: question() });
    throw new RpcError('resource_exhausted', error.message);
  }
}
