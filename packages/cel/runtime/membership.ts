import { equalValues } from './equality.js';
import { NO_SUCH_OVERLOAD } from './failures.js';
import { isJsonMap, isMap } from './kinds.js';
import { mapGet, ownEntry, UNHASHABLE } from './maps.js';
import { charge } from './meter.js';
import { type CelError, isFailure, type Result, type Value, ValueMap } from './values.js';

/** `x in collection`, and it could be evaluated. */
export function isIn(x: Result, collection: Result): boolean {
  if (typeof x === 'string' && Array.isArray(collection)) return includesText(collection, x);
  return inCollection(x, collection) === true;
}

/**
 * `isIn` for a string and an attribute, which is JSON: programs whose conditions ask for nothing else have neither the
 * equality of other values nor other maps.
 */
export function isStringIn(text: string, attribute: Result): boolean {
  if (Array.isArray(attribute)) return includesText(attribute, text);
  return isJsonMap(attribute) && ownEntry(attribute, text) !== undefined;
}

/** `!(x in collection)`, and it could be evaluated. */
export function isNotIn(x: Result, collection: Result): boolean {
  if (typeof x === 'string' && Array.isArray(collection)) return !includesText(collection, x);
  return inCollection(x, collection) === false;
}

/** `x in collection` (docs/spec/conditions.md#membership): an equal element of a list, a key of a map. */
export function inCollection(x: Result, collection: Result): Result {
  if (isFailure(x)) return x;
  if (isFailure(collection)) return collection;
  return contained(x, collection);
}

/**
 * `x in [...]` for a list literal of strings, booleans, null and numbers, made a set once. Its numbers are doubles:
 * an int literal is put in as the double it equals (docs/spec/conditions.md#equality).
 */
export function isOneOf(x: Result, set: ReadonlySet<Value>): boolean {
  if (typeof x === 'string') return set.has(x);
  if (typeof x === 'object' || typeof x === 'bigint') return x === null ? set.has(null) : isIn(x, Array.from(set));
  return x !== undefined && !Number.isNaN(x) && set.has(x);
}

/** `!(x in [...])` for such a set, and x could be evaluated. */
export function isNoneOf(x: Result, set: ReadonlySet<Value>): boolean {
  return !isFailure(x) && !isOneOf(x, set);
}

/** Whether a list has a string. Comparing two strings of one length may look at all of them. */
export function includesText(list: readonly Value[], text: string): boolean {
  charge((list.length * (32 + text.length)) / 128);
  return list.includes(text);
}

function contained(x: Value, collection: Value): boolean | CelError {
  if (Array.isArray(collection)) {
    charge(2 * collection.length);
    return collection.some((element) => equalValues(x, element) === true);
  }
  if (x instanceof Uint8Array && collection instanceof ValueMap) return UNHASHABLE;
  return isMap(collection) ? mapGet(collection, x) !== undefined : NO_SUCH_OVERLOAD;
}
