import { NO_SUCH_OVERLOAD, refuse } from './failures.js';
import { keyText } from './maps.js';
import { charge, chargeList, MAX_DEPTH, tooDeep } from './meter.js';
import { describeNoSuchOverload } from './overload-errors.js';
import { sortedByKeys } from './sorting.js';
import { nameParameterisedType } from './type-names.js';
import { ValueSet } from './value-set.js';
import { CelError, isFailure, Optional, type Result, type Value } from './values.js';

/** A list literal (docs/spec/conditions.md#comprehensions): the first element that failed is the result. */
export function listOf(elements: readonly Result[]): Result {
  chargeList(elements.length + 4);
  for (const element of elements) {
    if (isFailure(element)) return element;
  }
  return elements as readonly Value[];
}

/** A list literal with optional elements (docs/spec/conditions.md#optional-values): `[?x]` is empty when x is none. */
export function listOfOptionals(elements: readonly (readonly [optional: boolean, Result])[]): Result {
  chargeList(elements.length + 4);
  const values: Value[] = [];
  for (const [optional, element] of elements) {
    if (isFailure(element)) return element;
    if (!optional) values.push(element);
    else if (!(element instanceof Optional)) return notOptional(element);
    else if (element.value !== undefined) values.push(element.value);
  }
  return values;
}

/** `list.slice(b, e)` (docs/spec/conditions.md#lists-and-sets). */
export function slice(list: Result, begin: Result, end: Result): Result {
  if (!Array.isArray(list) || typeof begin !== 'bigint' || typeof end !== 'bigint')
    return refuse('slice', list, begin, end);
  const refused = (reason: string) => new CelError(`cannot slice(${begin}, ${end}), ${reason}`);
  if (begin < 0n || end < 0n) return refused('negative indexes not supported');
  if (begin > end) return refused('start index must be less than or equal to end index');
  if (end > BigInt(list.length)) return refused(`list is length ${list.length}`);
  chargeList(Number(end - begin));
  return list.slice(Number(begin), Number(end));
}

/** `list.flatten()`, `list.flatten(depth)`: one level when none is given; other elements are kept. */
export function flatten(list: Result, ...depth: readonly [Result?]): Result {
  const [levels] = depth.length === 0 ? [1n] : depth;
  if (isFailure(list)) return list;
  if (isFailure(levels)) return levels;
  if (!Array.isArray(list) || typeof levels !== 'bigint') {
    const shown = depth.length === 0 ? '' : nameParameterisedType(levels);
    return describeNoSuchOverload(`${nameParameterisedType(list)}.flatten(${shown})`);
  }
  if (levels < 0n) return new CelError('level must be non-negative');
  const flat: Value[] = [];
  flattenInto(flat, list, levels, MAX_DEPTH);
  return flat;
}

/** `list.sort()`. */
export function sort(list: Result): Result {
  if (isFailure(list)) return list;
  if (typeof list === 'string') return NO_SUCH_OVERLOAD;
  return Array.isArray(list) ? sortedByKeys(list, list) : describeNoSuchOverload('sort');
}

/** `list.distinct()`: by CEL equality, the first of equal ones kept. */
export function distinct(list: Result): Result {
  if (!Array.isArray(list)) return refuse('distinct', list);
  const seen = new ValueSet([]);
  return list.filter((element: Value) => seen.addNew(element));
}

/** `list.first()`: none when the list is empty. */
export function first(list: Result): Result {
  return Array.isArray(list) ? new Optional(list[0]) : refuse('first', list);
}

/** `list.last()`. */
export function last(list: Result): Result {
  return Array.isArray(list) ? new Optional(list[list.length - 1]) : refuse('last', list);
}

/** `lists.range(n)`: the ints from 0 to n - 1. */
export function listsRange(size: Result): Result {
  if (typeof size !== 'bigint') return refuse('lists.range', size);
  if (size < 0n) return new CelError(`lists.range: size must be non-negative, got ${size}`);
  if (size > MAX_RANGE) return new CelError(`lists.range: size must not exceed ${MAX_RANGE}, got ${size}`);
  chargeList(Number(size), Number(size));
  return Array.from({ length: Number(size) }, (_, position) => BigInt(position));
}

/** A condition has no use for longer ranges, and one number must not fill the memory of the process. */
const MAX_RANGE = 1_000_000n;

function notOptional(element: Value): CelError {
  return new CelError(`cannot initialize optional list element from non-optional value ${keyText(element)}`);
}

function flattenInto(flat: Value[], list: readonly Value[], levels: bigint, depth: number): void {
  if (depth === 0) tooDeep();
  charge(2);
  chargeList(list.length);
  for (const element of list) {
    if (levels === 0n || !Array.isArray(element)) flat.push(element);
    else flattenInto(flat, element, levels - 1n, depth - 1);
  }
}
