import { NO_SUCH_OVERLOAD, refuse } from './failures.js';
import { includesText } from './membership.js';
import { chargeList } from './meter.js';
import { ValueSet } from './value-set.js';
import { type CelError, isFailure, type Result, type Value } from './values.js';

/**
 * `a.intersect(b)` (docs/spec/conditions.md#set-functions): the elements of the shorter list, a on a tie, that the
 * other has; order and repetitions kept.
 */
export function intersect(a: Result, b: Result): Result {
  if (!Array.isArray(a) || !Array.isArray(b)) return refuse('intersect', a, b);
  return b.length < a.length ? common(b, a) : common(a, b);
}

/** `a.except(b)`: the elements of a that b has not. */
export function except(a: Result, b: Result): Result {
  if (!Array.isArray(a) || !Array.isArray(b)) return refuse('except', a, b);
  chargeList(a.length);
  const excluded = new ValueSet(b);
  return a.filter((element: Value) => !excluded.has(element));
}

/** `a.hasIntersection(b)`. */
export function hasIntersection(a: Result, b: Result): Result {
  return Array.isArray(a) && Array.isArray(b) ? intersecting(a, b) : refuse('hasIntersection', a, b);
}

/** `a.isSubset(b)`: every element of a is in b. */
export function isSubset(a: Result, b: Result): Result {
  return Array.isArray(a) && Array.isArray(b) ? containing(b, a) : refuse('isSubset', a, b);
}

/** `intersect(a, b)`: as the member form, but an argument that failed gives class A (2.6, the quirk). */
export function intersectGlobal(a: Result, b: Result): Result {
  return argumentFailure(a, b) ?? intersect(a, b);
}

/** `except(a, b)`, likewise. */
export function exceptGlobal(a: Result, b: Result): Result {
  return argumentFailure(a, b) ?? except(a, b);
}

/** `hasIntersection(a, b)`, likewise. */
export function hasIntersectionGlobal(a: Result, b: Result): Result {
  return argumentFailure(a, b) ?? hasIntersection(a, b);
}

/** `isSubset(a, b)`, likewise. */
export function isSubsetGlobal(a: Result, b: Result): Result {
  return argumentFailure(a, b) ?? isSubset(a, b);
}

/** `sets.contains(a, b)`: every element of b is in a. */
export function setsContains(a: Result, b: Result): Result {
  return Array.isArray(a) && Array.isArray(b) ? containing(a, b) : refuse('sets.contains', a, b);
}

/** `sets.equivalent(a, b)`: each contains the other. */
export function setsEquivalent(a: Result, b: Result): Result {
  if (!Array.isArray(a) || !Array.isArray(b)) return refuse('sets.equivalent', a, b);
  return containing(a, b) && containing(b, a);
}

/** `sets.intersects(a, b)`: some element is in both. */
export function setsIntersects(a: Result, b: Result): Result {
  return Array.isArray(a) && Array.isArray(b) ? intersecting(a, b) : refuse('sets.intersects', a, b);
}

function argumentFailure(a: Result, b: Result): CelError | undefined {
  return isFailure(a) || isFailure(b) ? NO_SUCH_OVERLOAD : undefined;
}

function common(a: readonly Value[], b: readonly Value[]): readonly Value[] {
  chargeList(a.length);
  const others = new ValueSet(b);
  return a.filter((element) => others.has(element));
}

function containing(all: readonly Value[], some: readonly Value[]): boolean {
  if (areFew(all, some) && areStrings(some)) {
    for (let i = 0; i < some.length; i++) if (!includesText(all, some[i] as string)) return false;
    return true;
  }
  const elements = new ValueSet(all);
  return some.every((element) => elements.has(element));
}

function intersecting(a: readonly Value[], b: readonly Value[]): boolean {
  if (areFew(a, b) && areStrings(a)) {
    for (let i = 0; i < a.length; i++) if (includesText(b, a[i] as string)) return true;
    return false;
  }
  const elements = new ValueSet(b);
  return a.some((element) => elements.has(element));
}

/** Whether comparing all elements of two lists with one another takes less than making a set. */
function areFew(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length <= 8 && b.length <= 8;
}

/** A string only equals that string, so that searching for it asks nothing of the other elements. */
function areStrings(list: readonly Value[]): boolean {
  for (let i = 0; i < list.length; i++) if (typeof list[i] !== 'string') return false;
  return true;
}
