import { compareBytes } from './bytes.js';
import { NO_SUCH_OVERLOAD } from './failures.js';
import { isJsonMap } from './kinds.js';
import { mapEntries, mapGet, mapSize } from './maps.js';
import { charge, chargeRead, MAX_DEPTH, tooDeep } from './meter.js';
import { compareNumbers } from './numbers.js';
import {
  type CelError,
  Duration,
  isFailure,
  type JsonMap,
  Message,
  Opaque,
  Optional,
  type Result,
  Timestamp,
  TypeValue,
  Uint,
  type Value,
  ValueMap,
} from './values.js';

/**
 * `a == b`, and both could be evaluated. On the hot path of every check: primitives are handled before anything else
 * (bench/check.bench.ts).
 */
export function isEqual(a: Result, b: Result): boolean {
  if (typeof a === 'string' || typeof a === 'boolean') return a === b;
  if (typeof a === 'number' && typeof b === 'number') return a === b;
  if (isFailure(a) || isFailure(b)) return false;
  return equalValues(a, b) === true;
}

/** `!(a == b)`, and `a == b` could be evaluated: the negation of `isEqual` as a condition needs it. */
export function differs(a: Result, b: Result): boolean {
  if (typeof a === 'string' && typeof b === 'string') return a !== b;
  if (isFailure(a) || isFailure(b)) return false;
  return equalValues(a, b) === false;
}

/** `a == b` (docs/spec/conditions.md#equality). */
export function equals(a: Result, b: Result): Result {
  if (isFailure(a)) return a;
  if (isFailure(b)) return b;
  return equalValues(a, b);
}

/** `a != b`: never fails of itself; an `==` that fails counts as unequal. */
export function notEquals(a: Result, b: Result): Result {
  if (isFailure(a)) return a;
  if (isFailure(b)) return b;
  return equalValues(a, b) !== true;
}

/**
 * Whether two values are equal (docs/spec/conditions.md#equality): total across kinds, numbers by value, everything
 * else by content. It fails only where a hierarchy, SPIFFE ID or trust domain on the left meets another kind; beyond
 * `MAX_DEPTH` the call fails.
 */
export function equalValues(a: Value, b: Value): boolean | CelError {
  return equalWithin(MAX_DEPTH, a, b);
}

function equalWithin(depth: number, a: Value, b: Value): boolean | CelError {
  switch (typeof a) {
    case 'string':
      if (a.length > LONG) chargeRead(a.length);
      return a === b;
    case 'boolean':
      return a === b;
    case 'number':
    case 'bigint':
      return compareNumbers(a, b) === 0;
    default:
      return a === null || b === null ? a === b : equalObjects(depth, a, b);
  }
}

function equalObjects(depth: number, a: Exclude<Value, null>, b: Exclude<Value, null>): boolean | CelError {
  if (a instanceof Opaque) return a.equalTo(b);
  if (a instanceof Uint) return compareNumbers(a, b) === 0;
  if (typeof b !== 'object') return false;
  if (depth === 0) tooDeep();
  if (Array.isArray(a)) return Array.isArray(b) && equalLists(depth - 1, a, b);
  if (a instanceof ValueMap || isJsonMap(a))
    return (b instanceof ValueMap || isJsonMap(b)) && equalMaps(depth - 1, a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && a.length === b.length && compareBytes(a, b) === 0;
  if (a instanceof Timestamp) return b instanceof Timestamp && a.seconds === b.seconds && a.nanos === b.nanos;
  if (a instanceof Duration) return b instanceof Duration && a.nanos === b.nanos;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof Optional) return b instanceof Optional && equalOptionals(depth - 1, a, b);
  if (a instanceof Message)
    return b instanceof Message && a.typeName === b.typeName && equalMaps(depth - 1, a.fields, b.fields);
  return NO_SUCH_OVERLOAD;
}

/** Length in UTF-16 units: comparing shorter strings costs no more than looking at them. */
const LONG = 64;

function equalLists(depth: number, a: readonly Value[], b: readonly Value[]): boolean | CelError {
  if (a.length !== b.length) return false;
  charge(2 * a.length);
  for (let position = 0; position < a.length; position++) {
    const equal = equalWithin(depth, a[position] as Value, b[position] as Value);
    if (equal !== true) return equal;
  }
  return true;
}

function equalMaps(depth: number, a: JsonMap | ValueMap, b: JsonMap | ValueMap): boolean | CelError {
  const size = mapSize(a);
  if (size !== mapSize(b)) return false;
  for (const [key, value] of mapEntries(a)) {
    const other = mapGet(b, key);
    const equal = other !== undefined && equalWithin(depth, value, other);
    if (equal !== true) return equal;
  }
  return true;
}

function equalOptionals(depth: number, a: Optional, b: Optional): boolean | CelError {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equalWithin(depth, a.value, b.value);
}
