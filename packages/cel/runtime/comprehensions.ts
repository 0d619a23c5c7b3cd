import { findProblem, refuse } from './failures.js';
import { isMap } from './kinds.js';
import { keyText, MapBuilder, mapEntries } from './maps.js';
import { charge, chargeList } from './meter.js';
import type { EntryPredicate, Predicate } from './quantifiers.js';
import { listElements, listEntries } from './ranges.js';
import { sortedByKeys } from './sorting.js';
import { CelError, isFailure, type Result, type Value } from './values.js';

/**
 * `range.filter(x, p)` (docs/spec/conditions.md#macros, docs/spec/conditions.md#comprehensions): the elements, or keys
 * of a map, that pass. The first problem ends this and all below.
 */
export function filter(range: Result, predicate: Predicate): Result {
  return mapWhere(range, predicate, (x) => x);
}

/** `range.map(x, e)`. */
export function mapEach(range: Result, transform: Predicate): Result {
  return mapWhere(range, always, transform);
}

/** `range.map(x, p, e)`. */
export function mapWhere(range: Result, predicate: Predicate, transform: Predicate): Result {
  const elements = listElements(range);
  if (isFailure(elements)) return elements;
  const results: Value[] = [];
  for (const element of elements) {
    charge(STEPS_AN_ELEMENT);
    const passes = predicate(element);
    if (typeof passes !== 'boolean') return findProblem(passes);
    const result = passes ? transform(element) : null;
    if (isFailure(result)) return result;
    if (!passes) continue;
    chargeList(1, 1);
    results.push(result);
  }
  return results;
}

/** `range.transformList(i, v, e)`. */
export function transformList(range: Result, transform: EntryPredicate): Result {
  return transformListWhere(range, always, transform);
}

/** `range.transformList(i, v, p, e)`. */
export function transformListWhere(range: Result, predicate: EntryPredicate, transform: EntryPredicate): Result {
  const results: Value[] = [];
  const problem = collect(range, predicate, (i, v) => {
    const result = transform(i, v);
    if (isFailure(result)) return findProblem(result);
    chargeList(1, 1);
    results.push(result);
    return null;
  });
  return problem === null ? results : problem;
}

/** `range.transformMap(i, v, e)`: the same keys, other values. */
export function transformMap(range: Result, transform: EntryPredicate): Result {
  return transformMapWhere(range, always, transform);
}

/** `range.transformMap(i, v, p, e)`. */
export function transformMapWhere(range: Result, predicate: EntryPredicate, transform: EntryPredicate): Result {
  const builder = new MapBuilder();
  const problem = collect(range, predicate, (i, v) => {
    const result = transform(i, v);
    if (isFailure(result)) return findProblem(result);
    builder.set(i, result);
    return null;
  });
  return problem === null ? builder.build() : problem;
}

/** `range.transformMapEntry(i, v, m)`: the entries of every m in one map; a key may come once. */
export function transformMapEntry(range: Result, transform: EntryPredicate): Result {
  return transformMapEntryWhere(range, always, transform);
}

/** `range.transformMapEntry(i, v, p, m)`. */
export function transformMapEntryWhere(range: Result, predicate: EntryPredicate, transform: EntryPredicate): Result {
  const builder = new MapBuilder();
  const problem = collect(range, predicate, (i, v) => insertAll(builder, transform(i, v)));
  return problem === null ? builder.build() : problem;
}

/**
 * `list.sortBy(x, key)`: all keys are made first; then their messages are those of `sort`
 * (docs/spec/conditions.md#lists-and-sets).
 */
export function sortBy(range: Result, keyOf: Predicate): Result {
  const keys = mapEach(range, keyOf);
  if (isFailure(keys)) return keys;
  return Array.isArray(range)
    ? sortedByKeys(range, keys as readonly Value[])
    : new CelError('no such overload: @sortByAssociatedKeys');
}

const always = (): Result => true;

const STEPS_AN_ELEMENT = 8;

// Goes through the entries that pass; null when nothing went wrong.
function collect(
  range: Result,
  predicate: EntryPredicate,
  add: (i: Value, v: Value) => CelError | undefined | null,
): CelError | undefined | null {
  const entries = listEntries(range);
  if (isFailure(entries)) return entries;
  for (const [i, v] of entries) {
    charge(STEPS_AN_ELEMENT);
    const passes = predicate(i, v);
    if (typeof passes !== 'boolean') return findProblem(passes);
    const problem = passes ? add(i, v) : null;
    if (problem !== null) return problem;
  }
  return null;
}

function insertAll(builder: MapBuilder, addition: Result): CelError | undefined | null {
  if (!isMap(addition)) return refuse('cel.@mapInsert', builder.build(), addition);
  for (const [key, value] of mapEntries(addition)) {
    if (builder.has(key)) return new CelError(`insert failed: key ${keyText(key)} already exists`);
    builder.set(key, value);
  }
  return null;
}
