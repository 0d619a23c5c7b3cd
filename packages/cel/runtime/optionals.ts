import { NO_SUCH_OVERLOAD, refuse } from './failures.js';
import { isMap } from './kinds.js';
import { keyText, mapSize } from './maps.js';
import { chargeList } from './meter.js';
import { MIN_SECONDS } from './timestamp.js';
import {
  CelError,
  Duration,
  isFailure,
  Message,
  Optional,
  type Result,
  Timestamp,
  Uint,
  type Value,
} from './values.js';

/**
 * What reading a none gives (docs/spec/conditions.md#optional-functions, docs/spec/conditions.md#output-conversion).
 */
export const NONE_DEREFERENCED = new CelError('optional.none() dereference');

/** `optional.of(x)`. */
export function optionalOf(x: Result): Result {
  return isFailure(x) ? x : new Optional(x);
}

/** `optional.none()`. */
export function optionalNone(): Optional {
  return NONE;
}

/**
 * `optional.ofNonZeroValue(x)`: none for what its kind counts as nothing: 0, "", [], null, an empty message
 * (docs/spec/conditions.md#optional-functions).
 */
export function optionalOfNonZeroValue(x: Result): Result {
  if (isFailure(x)) return x;
  return isZero(x) ? NONE : new Optional(x);
}

/** `o.hasValue()`. */
export function optionalHasValue(o: Result): Result {
  return o instanceof Optional ? o.value !== undefined : refuse('hasValue', o);
}

/** `o.value()`; none is `optional.none() dereference`. */
export function optionalValue(o: Result): Result {
  if (!(o instanceof Optional)) return refuse('value', o);
  return o.value === undefined ? NONE_DEREFERENCED : o.value;
}

/** `o.or(other)`: the other one matters only when this one is none, even when it failed. */
export function optionalOr(o: Result, other: Result): Result {
  if (isFailure(o)) return o;
  if (!(o instanceof Optional)) return NO_SUCH_OVERLOAD;
  return o.value === undefined ? other : o;
}

/** `o.orValue(x)`: x matters only when this one is none, even when it failed. */
export function optionalOrValue(o: Result, x: Result): Result {
  if (isFailure(o)) return o;
  if (!(o instanceof Optional)) return NO_SUCH_OVERLOAD;
  return o.value === undefined ? x : o.value;
}

/** `optional.unwrap(list)`: the values of those that have one. */
export function optionalUnwrap(list: Result): Result {
  return unwrapped('optional.unwrap', list);
}

/** `list.unwrapOpt()`. */
export function unwrapOpt(list: Result): Result {
  return unwrapped('unwrapOpt', list);
}

/** `o.optMap(x, e)`: none stays none. */
export function optMap(o: Result, transform: (x: Value) => Result): Result {
  if (!(o instanceof Optional)) return refuse('hasValue', o);
  return o.value === undefined ? o : optionalOf(transform(o.value));
}

/** `o.optFlatMap(x, e)`: e gives the optional itself. */
export function optFlatMap(o: Result, transform: (x: Value) => Result): Result {
  if (!(o instanceof Optional)) return refuse('hasValue', o);
  return o.value === undefined ? o : transform(o.value);
}

const NONE = new Optional(undefined);

function unwrapped(name: string, list: Result): Result {
  // The guard looks at the first element only (2); a later one fails in the function itself.
  if (!Array.isArray(list) || (list.length > 0 && !(list[0] instanceof Optional))) return refuse(name, list);
  chargeList(list.length);
  const values: Value[] = [];
  for (const element of list as readonly Value[]) {
    if (!(element instanceof Optional)) return new CelError(`value ${keyText(element)} is not optional`);
    if (element.value !== undefined) values.push(element.value);
  }
  return values;
}

function isZero(x: Value): boolean {
  switch (typeof x) {
    case 'string':
      return x === '';
    case 'number':
      return x === 0;
    case 'bigint':
      return x === 0n;
    case 'boolean':
      return !x;
    default:
      return x === null || isZeroObject(x);
  }
}

function isZeroObject(x: Value): boolean {
  if (Array.isArray(x) || x instanceof Uint8Array) return x.length === 0;
  if (isMap(x)) return mapSize(x) === 0;
  if (x instanceof Uint) return x.value === 0n;
  if (x instanceof Duration) return x.nanos === 0n;
  if (x instanceof Timestamp) return x.seconds === MIN_SECONDS && x.nanos === 0;
  return x instanceof Message && Object.keys(x.fields).length === 0;
}
