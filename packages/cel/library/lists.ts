import { global, member, row, type FunctionSection } from './function.js';
import {
  bool,
  bytes,
  double,
  duration,
  dyn,
  int,
  listType,
  optionalType,
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
      member([listType(A), int, int], listType(A)),
    ),
    row(
      'flatten',
      {
        meaning: 'Flattens nested lists, by default one level deep.',
        examples: [['[[1], [2, 3]].flatten()', '[1, 2, 3]']],
      },
      member([listType(listType(A))], listType(A)),
      member([listType(dyn), int], listType(dyn)),
    ),
    row(
      'sort',
      { meaning: 'Sorts a list in ascending order.', examples: [['[3, 1, 2].sort()', '[1, 2, 3]']] },
      comparableTypes.map((type) => member([listType(type)], listType(type))),
    ),
    row(
      'distinct',
      { meaning: 'Removes duplicates from a list.', examples: [['[1, 2, 1].distinct()', '[1, 2]']] },
      member([listType(A)], listType(A)),
    ),
    row(
      'first',
      {
        meaning: 'Returns the first element as an optional, which is none if the list is empty.',
        examples: [['[1, 2].first().value()', '1']],
      },
      member([listType(A)], optionalType(A)),
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
      member([listType(A)], optionalType(A)),
    ),
    row(
      'lists.range',
      {
        meaning: 'Returns the integers from 0 up to a number (exclusive).',
        examples: [['lists.range(3)', '[0, 1, 2]']],
      },
      global([int], listType(int)),
    ),
  ],
};
