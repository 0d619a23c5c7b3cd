import { compareBytes } from './bytes.js';
import { compareCodePoints } from './code-points.js';
import { NO_SUCH_OVERLOAD } from './failures.js';
import { compareNumbers } from './numbers.js';
import { charge } from './meter.js';
import { describeNoSuchOverload } from './overload-errors.js';
import { isEngineKind } from './type-names.js';
import { type CelError, Duration, isFailure, Opaque, type Result, Timestamp, Uint, type Value } from './values.js';

/** `a < b`, and they have an order. On the hot path: two doubles are compared at once (bench/check.bench.ts). */
export function less(a: Result, b: Result): boolean {
  return typeof a === 'number' && typeof b === 'number' ? a < b : orderOrNaN(a, b) < 0;
}

/** `a <= b`, and they have an order. */
export function lessOrEqual(a: Result, b: Result): boolean {
  return typeof a === 'number' && typeof b === 'number' ? a <= b : orderOrNaN(a, b) <= 0;
}

/** `a > b`, and they have an order. */
export function greater(a: Result, b: Result): boolean {
  return typeof a === 'number' && typeof b === 'number' ? a > b : orderOrNaN(a, b) > 0;
}

/** `a >= b`, and they have an order. */
export function greaterOrEqual(a: Result, b: Result): boolean {
  return typeof a === 'number' && typeof b === 'number' ? a >= b : orderOrNaN(a, b) >= 0;
}

/** `!(a < b)`, and the comparison could be evaluated; NaN is less than nothing, so it holds for NaN. */
export function notLess(a: Result, b: Result): boolean {
  return typeof a === 'number' && typeof b === 'number' ? !(a < b) : isComparable(a, b) && !(orderOrNaN(a, b) < 0);
}

/** `!(a <= b)`, and the comparison could be evaluated. */
export function notLessOrEqual(a: Result, b: Result): boolean {
  return typeof a === 'number' && typeof b === 'number' ? !(a <= b) : isComparable(a, b) && !(orderOrNaN(a, b) <= 0);
}

/** `!(a > b)`, and the comparison could be evaluated. */
export function notGreater(a: Result, b: Result): boolean {
  return typeof a === 'number' && typeof b === 'number' ? !(a > b) : isComparable(a, b) && !(orderOrNaN(a, b) > 0);
}

/** `!(a >= b)`, and the comparison could be evaluated. */
export function notGreaterOrEqual(a: Result, b: Result): boolean {
  return typeof a === 'number' && typeof b === 'number' ? !(a >= b) : isComparable(a, b) && !(orderOrNaN(a, b) >= 0);
}

/** `a < b` (docs/spec/conditions.md#ordering). */
export function lessThan(a: Result, b: Result): Result {
  const order = ordered('_<_', a, b);
  return typeof order === 'number' ? order < 0 : order;
}

/** `a <= b`. */
export function atMost(a: Result, b: Result): Result {
  const order = ordered('_<=_', a, b);
  return typeof order === 'number' ? order <= 0 : order;
}

/** `a > b`. */
export function greaterThan(a: Result, b: Result): Result {
  const order = ordered('_>_', a, b);
  return typeof order === 'number' ? order > 0 : order;
}

/** `a >= b`. */
export function atLeast(a: Result, b: Result): Result {
  const order = ordered('_>=_', a, b);
  return typeof order === 'number' ? order >= 0 : order;
}

/**
 * Two values in order: negative, 0, positive, NaN when one is NaN; undefined when their kinds have no order
 * (docs/spec/conditions.md#ordering).
 */
export function compareValues(a: Value, b: Value): number | undefined {
  switch (typeof a) {
    case 'number':
    case 'bigint':
      return compareNumbers(a, b);
    case 'string':
      if (typeof b !== 'string') return undefined;
      charge(Math.min(a.length, b.length) / 8);
      return compareCodePoints(a, b);
    case 'boolean':
      return typeof b === 'boolean' ? Number(a) - Number(b) : undefined;
    default:
      return a === null ? undefined : orderOfObjects(a, b);
  }
}

function orderOfObjects(a: Value, b: Value): number | undefined {
  if (a instanceof Uint) return compareNumbers(a, b);
  if (a instanceof Timestamp) return b instanceof Timestamp ? a.seconds - b.seconds || a.nanos - b.nanos : undefined;
  if (a instanceof Duration) return b instanceof Duration ? compareValues(a.nanos, b.nanos) : undefined;
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? compareBytes(a, b) : undefined;
  return a instanceof Opaque ? a.compareTo(b) : undefined;
}

// Timestamps first: next to numbers they are what policies put in order.
function orderOrNaN(a: Result, b: Result): number {
  if (a instanceof Timestamp && b instanceof Timestamp) return a.seconds - b.seconds || a.nanos - b.nanos;
  return isFailure(a) || isFailure(b) ? Number.NaN : (compareValues(a, b) ?? Number.NaN);
}

function isComparable(a: Result, b: Result): boolean {
  return !isFailure(a) && !isFailure(b) && compareValues(a, b) !== undefined;
}

function ordered(operator: string, a: Result, b: Result): number | CelError | undefined {
  if (isFailure(a)) return a;
  if (isFailure(b)) return b;
  return compareValues(a, b) ?? (knowsOrder(a) ? NO_SUCH_OVERLOAD : describeNoSuchOverload(operator));
}

function knowsOrder(a: Value): boolean {
  return compareValues(a, a) !== undefined || isEngineKind(a);
}
