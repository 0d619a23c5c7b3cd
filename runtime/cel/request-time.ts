import { NO_SUCH_OVERLOAD } from './failures.js';
import { saturatedDifference } from './time-arithmetic.js';
import { isFailure, type Result, Timestamp } from './values.js';

/**
 * What `now` asks of a request: the one instant of the whole call, with the server's offset
 * (docs/spec/conditions.md#the-current-time).
 */
export interface RequestTime {
  readonly now: { readonly seconds: number; readonly nanos: number; readonly offset: number };
}

/** `now()` (docs/spec/conditions.md#the-current-time). */
export function now(request: RequestTime): Timestamp {
  const { seconds, nanos, offset } = request.now;
  return new Timestamp(seconds, nanos, offset);
}

/** `timeSince(t)`, now − t; it saturates where `-` would overflow (docs/spec/conditions.md#core-functions). */
export function timeSince(t: Result, request: RequestTime): Result {
  if (isFailure(t)) return t;
  return t instanceof Timestamp ? saturatedDifference(now(request), t) : NO_SUCH_OVERLOAD;
}
