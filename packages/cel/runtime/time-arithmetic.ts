import { durationOf, MAX_NANOS, MIN_NANOS, SECOND } from './duration.js';
import { NO_SUCH_OVERLOAD } from './failures.js';
import { timestampAt } from './timestamp.js';
import { type CelError, Duration, isFailure, type Result, Timestamp } from './values.js';

/**
 * `t + d`: the offset of the timestamp stays; `timestamp overflow` outside the years 1 to 9999
 * (docs/spec/conditions.md#operators, docs/spec/conditions.md#parsing-timestamps).
 */
export function addDuration(t: Timestamp, d: Duration): Timestamp | CelError {
  return shift(t, d.nanos);
}

/** `t - d`. */
export function subtractDuration(t: Timestamp, d: Duration): Timestamp | CelError {
  return shift(t, -d.nanos);
}

/** `a - b` of timestamps: `integer overflow` beyond about 292 years (docs/spec/conditions.md#operators). */
export function timestampDifference(a: Timestamp, b: Timestamp): Duration | CelError {
  return durationOf(nanosBetween(a, b));
}

/**
 * `a - b`, held at the greatest or least duration where it would leave the range: `timeSince`
 * (docs/spec/conditions.md#core-functions).
 */
export function saturatedDifference(a: Timestamp, b: Timestamp): Duration {
  const nanos = nanosBetween(a, b);
  if (nanos > MAX_NANOS) return new Duration(MAX_NANOS);
  return new Duration(nanos < MIN_NANOS ? MIN_NANOS : nanos);
}

function shift(t: Timestamp, by: bigint): Timestamp | CelError {
  const nanos = BigInt(t.nanos) + by;
  // Floored, so that what remains is not negative.
  const carry = (nanos - (((nanos % SECOND) + SECOND) % SECOND)) / SECOND;
  return timestampAt(BigInt(t.seconds) + carry, Number(nanos - carry * SECOND), t.offset);
}

function nanosBetween(a: Timestamp, b: Timestamp): bigint {
  return (BigInt(a.seconds) - BigInt(b.seconds)) * SECOND + BigInt(a.nanos - b.nanos);
}

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
