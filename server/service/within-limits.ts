import { EvaluationLimitError } from '#runtime/engine';
import type { Call } from './call.js';
import { RpcError } from './rpc-error.js';
import { tellExceeded } from './watch.js';
import type { Exceeded, Watcher } from './watcher.js';

/**
 * Asks the engine. When that would cost more than `engine.limits` allows, watchers are told and the call is refused:
 * there is no decision.
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
