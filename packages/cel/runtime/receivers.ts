import { NO_SUCH_OVERLOAD } from './failures.js';
import { kindOf } from './kinds.js';
import { describeNoSuchOverload } from './overload-errors.js';
import { isEngineKind } from './type-names.js';
import { type CelError, isFailure, type Result } from './values.js';

/**
 * What a method of the engine's own kinds says of a receiver of another kind: class A where the kind dispatches methods
 * itself (strings, times, the engine's kinds), else class B. A failing receiver or argument comes first
 * (docs/spec/conditions.md#hierarchy-functions).
 */
export function wrongReceiver(name: string, receiver: Result, ...args: readonly Result[]): CelError | undefined {
  if (isFailure(receiver)) return receiver;
  for (const argument of args) {
    if (isFailure(argument)) return argument;
  }
  const kind = kindOf(receiver);
  const dispatches = kind === 'string' || kind === 'timestamp' || kind === 'duration' || isEngineKind(receiver);
  return dispatches ? NO_SUCH_OVERLOAD : describeNoSuchOverload(name);
}
