import { global, member, row, type FunctionSection } from './function.js';
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
} from './types.js';

const A = parameter('A');

/** The element types that `sort` and the key types that `sortBy` take (docs/spec/conditions.md#list-functions). */
export const comparableTypes = [int, uint, double, bool, duration, timestamp, string, bytes] as const;

/** docs/spec/conditions.md#list-functions. */
export const lists: FunctionSection = {
  title: 'Lists',
  rows: [
    row(
      'slice',
      {
        meaning: 'Returns the elements from a start index up to an end index (exclusive).',
        examples: [['[1, 2, 3].slice(0, 2)', '[1, 2]']],
      },
      member([listOf(A), int, int], listOf(A)),
    ),
    row(
      'flatten',
      {
        meaning: 'Flattens nested lists, by default one level deep.',
        examples: [['[[1], [2, 3]].flatten()', '[1, 2, 3]']],
      },
      member([listOf(listOf(A))], listOf(A)),
      member([listOf(dyn), int], listOf(dyn)),
    ),
    row(
      'sort',
      { meaning: 'Sorts a list in ascending order.', examples: [['[3, 1, 2].sort()', '[1, 2, 3]']] },
      comparableTypes.map((type) => member([listOf(type)], listOf(type))),
    ),
    row(
      'distinct',
      { meaning: 'Removes duplicates from a list.', examples: [['[1, 2, 1].distinct()', '[1, 2]']] },
      member([listOf(A)], listOf(A)),
    ),
    row(
      'first',
      {
        meaning: 'Returns the first element as an optional, which is none if the list is empty.',
        examples: [['[1, 2].first().value()', '1']],
      },
      member([listOf(A)], optionalOf(A)),
    ),
    row(
      'last',
      {
        meaning: 'Returns the last element as an optional, which is none if the list is empty.',
        examples: [
          ['[1, 2].last().value()', '2'],
          ['[].last().hasValue()', 'false'],
        ],
      },
      member([listOf(A)], optionalOf(A)),
    ),
    row(
      'lists.range',
      {
        meaning: 'Returns the integers from 0 up to a number (exclusive).',
        examples: [['lists.range(3)', '[0, 1, 2]']],
      },
      global([int], listOf(int)),
    ),
  ],
};
