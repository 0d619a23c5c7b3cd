import { either, global, row, type FunctionSection } from './function.js';
import { bool, listType, parameter } from './types.js';

const A = parameter('A');

const two = [listType(A), listType(A)] as const;

/** docs/spec/conditions.md#set-functions. */
export const sets: FunctionSection = {
  title: 'Sets',
  intro: 'These functions treat lists as sets.',
  rows: [
    row(
      'hasIntersection',
      {
        meaning: 'Returns whether two lists have an element in common.',
        examples: [
          ['hasIntersection(["a", "b"], ["b", "c"])', 'true'],
          ['P.attr.teams.hasIntersection(R.attr.teams)', 'true'],
        ],
      },
      either(two, bool),
    ),
    row(
      'has_intersection',
      {
        meaning: 'A deprecated alias of `hasIntersection`; the compiler warns.',
        examples: [['has_intersection(["a"], ["b"])', 'false']],
      },
      either(two, bool),
    ),
    row(
      'intersect',
      {
        meaning: 'Returns the elements that are in both lists.',
        examples: [['intersect(["a", "b"], ["b", "c"])', '["b"]']],
      },
      either(two, listType(A)),
    ),
    row(
      'except',
      {
        meaning: 'Returns the elements of the first list that are not in the second.',
        examples: [['["a", "b"].except(["b"])', '["a"]']],
      },
      either(two, listType(A)),
    ),
    row(
      'isSubset',
      {
        meaning: 'Returns whether all elements of the first list are in the second.',
        examples: [['["a"].isSubset(["a", "b"])', 'true']],
      },
      either(two, bool),
    ),
    row(
      'is_subset',
      {
        meaning: 'A deprecated alias of `isSubset`; the compiler warns.',
        examples: [['is_subset(["a"], ["b"])', 'false']],
      },
      either(two, bool),
    ),
    row(
      'sets.contains',
      {
        meaning:
          'Returns whether all elements of the second list are in the first: the arguments of `isSubset` in reverse.',
        examples: [['sets.contains(["a", "b"], ["a"])', 'true']],
      },
      global(two, bool),
    ),
    row(
      'sets.equivalent',
      {
        meaning: 'Returns whether both lists have the same elements, regardless of order and repetitions.',
        examples: [['sets.equivalent([1, 2], [2, 1, 1])', 'true']],
      },
      global(two, bool),
    ),
    row(
      'sets.intersects',
      {
        meaning: 'Returns whether two lists have an element in common.',
        examples: [['sets.intersects([1, 2], [2, 3])', 'true']],
      },
      global(two, bool),
    ),
  ],
};
