import type { CelFunction } from '../function.js';
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listOf,
  optionalOf,
  parameter,
  string,
  timestamp,
  uint,
} from '../types.js';
import { global, member, row } from './row.js';

const A = parameter('A');

/** The element types that `sort` and the key types that `sortBy` take (docs/spec/conditions.md#list-functions). */
export const comparableTypes = [int, uint, double, bool, duration, timestamp, string, bytes] as const;

/** docs/spec/conditions.md#list-functions, lists. `sortBy` is a macro. */
export const listFunctions: readonly CelFunction[] = [
  row('slice', member([listOf(A), int, int], listOf(A))),
  row('flatten', member([listOf(listOf(A))], listOf(A)), member([listOf(dyn), int], listOf(dyn))),
  row(
    'sort',
    comparableTypes.map((type) => member([listOf(type)], listOf(type))),
  ),
  row('distinct', member([listOf(A)], listOf(A))),
  row('first', member([listOf(A)], optionalOf(A))),
  row('last', member([listOf(A)], optionalOf(A))),
  row('lists.range', global([int], listOf(int))),
];
