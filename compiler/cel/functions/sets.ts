import type { CelFunction } from '../function.js';
import { bool, listOf, parameter } from '../types.js';
import { either, global, row } from './row.js';

const A = parameter('A');
const two = [listOf(A), listOf(A)] as const;

/** docs/spec/conditions.md#set-functions, sets. */
export const setFunctions: readonly CelFunction[] = [
  row('intersect', either(two, listOf(A))),
  row('except', either(two, listOf(A))),
  row('hasIntersection', either(two, bool)),
  row('has_intersection', either(two, bool)),
  row('isSubset', either(two, bool)),
  row('is_subset', either(two, bool)),
  row('sets.contains', global(two, bool)),
  row('sets.equivalent', global(two, bool)),
  row('sets.intersects', global(two, bool)),
];
