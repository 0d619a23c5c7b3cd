import { findProblem } from './failures.js';
import { charge } from './meter.js';
import { listElements, listEntries } from './ranges.js';
import { isFailure, type Result, type Value } from './values.js';

/** A predicate of a one-variable macro. */
export type Predicate = (x: Value) => Result;

/** A predicate of a two-variable macro: index or key, element or value. */
export type EntryPredicate = (i: Value, v: Value) => Result;

/**
 * `range.all(x, p)` (docs/spec/conditions.md#comprehensions): false at the first false; else the first problem; else
 * true.
 */
export function all(range: Result, predicate: Predicate): Result {
  const elements = listElements(range);
  return isFailure(elements) ? elements : folded(elements, predicate, false);
}

/** `range.exists(x, p)`: true at the first true; else the first problem; else false. */
export function exists(range: Result, predicate: Predicate): Result {
  const elements = listElements(range);
  return isFailure(elements) ? elements : folded(elements, predicate, true);
}

/** `range.exists_one(x, p)`: exactly one; the first problem ends it. */
export function existsOne(range: Result, predicate: Predicate): Result {
  const elements = listElements(range);
  return isFailure(elements) ? elements : exactlyOne(elements, predicate);
}

/** `range.all(i, v, p)`. */
export function all2(range: Result, predicate: EntryPredicate): Result {
  const entries = listEntries(range);
  return isFailure(entries) ? entries : folded(entries, ([i, v]) => predicate(i, v), false);
}

/** `range.exists(i, v, p)`. */
export function exists2(range: Result, predicate: EntryPredicate): Result {
  const entries = listEntries(range);
  return isFailure(entries) ? entries : folded(entries, ([i, v]) => predicate(i, v), true);
}

/** `range.existsOne(i, v, p)`. */
export function existsOne2(range: Result, predicate: EntryPredicate): Result {
  const entries = listEntries(range);
  return isFailure(entries) ? entries : exactlyOne(entries, ([i, v]) => predicate(i, v));
}

/**
 * Whether the range can be gone through and every element passes. With a test that is true only when the predicate is,
 * this is "`all` is true"; with one that is true only when the predicate is false, "`exists` is false".
 */
export function everyElement(range: Result, test: (x: Value) => boolean): boolean {
  const elements = Array.isArray(range) ? range : listElements(range);
  return !isFailure(elements) && every(elements, test);
}

/** Whether the range can be gone through and some element passes: "`exists` is true", or "`all` is false". */
export function someElement(range: Result, test: (x: Value) => boolean): boolean {
  const elements = Array.isArray(range) ? range : listElements(range);
  return !isFailure(elements) && some(elements, test);
}

/** `everyElement` of a two-variable macro. */
export function everyEntry(range: Result, test: (i: Value, v: Value) => boolean): boolean {
  if (Array.isArray(range)) return every(range, (element, position) => test(BigInt(position), element));
  const entries = listEntries(range);
  return !isFailure(entries) && every(Array.from(entries), ([i, v]) => test(i, v));
}

/** `someElement` of a two-variable macro. */
export function someEntry(range: Result, test: (i: Value, v: Value) => boolean): boolean {
  if (Array.isArray(range)) return some(range, (element, position) => test(BigInt(position), element));
  const entries = listEntries(range);
  return !isFailure(entries) && some(Array.from(entries), ([i, v]) => test(i, v));
}

// Both charge afterwards, for what they looked at: what is inside charges for itself, and an early end is common.

function every<Item>(items: readonly Item[], test: (item: Item, position: number) => boolean): boolean {
  const failing = items.findIndex((item, position) => !test(item, position));
  charge(STEPS_A_TEST * (failing < 0 ? items.length : failing + 1));
  return failing < 0;
}

function some<Item>(items: readonly Item[], test: (item: Item, position: number) => boolean): boolean {
  const passing = items.findIndex(test);
  charge(STEPS_A_TEST * (passing < 0 ? items.length : passing + 1));
  return passing >= 0;
}

/** Steps of a condition that only asks whether something holds. */
const STEPS_A_TEST = 2;

/** Steps of an element whose predicate says why it failed. */
const STEPS_AN_ELEMENT = 8;

// The fold of `&&` (decisive: false) or `||` (decisive: true) with the absorption of 3.8.
function folded<Item>(items: Iterable<Item>, predicate: (item: Item) => Result, decisive: boolean): Result {
  let result: Result = !decisive;
  for (const item of items) {
    charge(STEPS_AN_ELEMENT);
    const holds = predicate(item);
    if (holds === decisive) return decisive;
    if (holds !== !decisive && result === !decisive) result = findProblem(holds);
  }
  return result;
}

function exactlyOne<Item>(items: Iterable<Item>, predicate: (item: Item) => Result): Result {
  let count = 0;
  for (const item of items) {
    charge(STEPS_AN_ELEMENT);
    const holds = predicate(item);
    if (typeof holds !== 'boolean') return findProblem(holds);
    if (holds) count++;
  }
  return count === 1;
}
