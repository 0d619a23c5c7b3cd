import type { Value } from '../../../packages/cel/runtime/index.js';
import { implementationNameOf } from '../../../packages/cel/runtime/type-names.js';
import { textOf } from './access.js';
import { attempt, Failure, fail, failA, failC } from './failure.js';
import { type Entry, entriesOf, find, isMap, mapOf } from './maps.js';
import { sortedBy } from './sorting.js';

/** The body or predicate of a macro for one element: takes two values for two variables, otherwise one. */
export type Body = (...bound: readonly Value[]) => Value;

/**
 * A comprehension (docs/spec/conditions.md#macros, docs/spec/conditions.md#comprehensions). `predicate` is absent when
 * the author wrote none.
 */
export function comprehension(
  macro: string,
  range: Value,
  variables: number,
  predicate: Body | undefined,
  body: Body,
): Value {
  const steps = variables === 2 ? pairs(range) : elements(range);
  switch (macro) {
    case 'all':
      return fold(steps, body, false);
    case 'exists':
      return fold(steps, body, true);
    case 'exists_one': {
      let count = 0;
      for (const step of steps) if (truth(body(...step))) count += 1;
      return count === 1;
    }
    case 'filter':
      return steps.filter((step) => truth(body(...step))).map(([x]) => x as Value);
    case 'map':
    case 'transformList':
      return passing(steps, predicate, (step) => body(...step));
    case 'transformMap':
      return mapOf(passing(steps, predicate, (step): Entry => [step[0] as Value, body(...step)]));
    case 'transformMapEntry':
      return merged(steps, predicate, body);
    case 'sortBy': {
      const keys = passing(steps, undefined, (step) => body(...step));
      return Array.isArray(range) ? sortedBy(range, keys) : fail('no such overload: @sortByAssociatedKeys');
    }
    default:
      throw new Error(`no macro ${macro}`);
  }
}

function elements(range: Value): readonly (readonly [Value])[] {
  if (Array.isArray(range)) return range.map((x: Value) => [x] as const);
  if (isMap(range)) return entriesOf(range).map(([key]) => [key] as const);
  return fail(`got '${implementationNameOf(range)}', expected iterable type`);
}

function pairs(range: Value): readonly Entry[] {
  if (Array.isArray(range)) return range.map((x: Value, position) => [BigInt(position), x] as const);
  if (isMap(range)) return entriesOf(range);
  return fail(`unsupported comprehension range type: ${implementationNameOf(range)}`);
}

// The fold of `||` (decisive: true) or `&&`: the decisive value wins over any failure, otherwise the first failure is
// the result.
function fold(steps: readonly (readonly Value[])[], body: Body, decisive: boolean): boolean {
  let problem: Failure | undefined;
  for (const step of steps) {
    const outcome = attempt(() => truth(body(...step)));
    if (outcome === decisive) return decisive;
    if (outcome instanceof Failure) problem ??= outcome;
  }
  if (problem !== undefined) throw problem;
  return !decisive;
}

function passing<T>(
  steps: readonly (readonly Value[])[],
  predicate: Body | undefined,
  make: (step: readonly Value[]) => T,
): readonly T[] {
  const made: T[] = [];
  for (const step of steps) if (predicate === undefined || truth(predicate(...step))) made.push(make(step));
  return made;
}

function merged(steps: readonly (readonly Value[])[], predicate: Body | undefined, body: Body): Value {
  let entries: readonly Entry[] = [];
  for (const step of steps) {
    if (predicate !== undefined && !truth(predicate(...step))) continue;
    const addition = body(...step);
    if (!isMap(addition)) return failC('cel.@mapInsert', mapOf(entries), addition);
    for (const entry of entriesOf(addition)) {
      if (find(entries, entry[0]) !== undefined) return fail(`insert failed: key ${textOf(entry[0])} already exists`);
      entries = [...entries, entry];
    }
  }
  return mapOf(entries);
}

function truth(value: Value): boolean {
  return typeof value === 'boolean' ? value : failA();
}
