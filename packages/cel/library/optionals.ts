import { global, member, row, rowAs, type FunctionSection } from './function.js';
import { bool, listType, optionalType, parameter } from './types.js';

const A = parameter('A');

/** docs/spec/conditions.md#optional-functions. */
export const optionals: FunctionSection = {
  title: 'Optional values',
  intro: 'An optional has a value or none. `.?` returns an optional.',
  rows: [
    row(
      'optional.of',
      { meaning: 'Returns an optional with a value.', examples: [['optional.of(1).hasValue()', 'true']] },
      global([A], optionalType(A)),
    ),
    row(
      'optional.none',
      { meaning: 'Returns an optional without a value.', examples: [['optional.none().orValue(2)', '2']] },
      global([], optionalType(A)),
    ),
    row(
      'optional.ofNonZeroValue',
      {
        meaning: 'Returns an optional with the value, or none if it is zero, empty, false or null.',
        examples: [['optional.ofNonZeroValue("").hasValue()', 'false']],
      },
      global([A], optionalType(A)),
    ),
    rowAs(
      'hasValue',
      'optionalHasValue',
      { meaning: 'Returns whether an optional has a value.', examples: [['R.attr.?owner.hasValue()', 'true']] },
      member([optionalType(A)], bool),
    ),
    rowAs(
      'value',
      'optionalValue',
      {
        meaning: 'Returns the value of an optional; an error if it has none.',
        examples: [
          ['optional.of(1).value()', '1'],
          ['R.attr.?missing.value()', 'error: optional.none() dereference'],
        ],
      },
      member([optionalType(A)], A),
    ),
    rowAs(
      'or',
      'optionalOr',
      {
        meaning: 'Returns the optional if it has a value, otherwise the other optional.',
        examples: [['R.attr.?missing.or(R.attr.?owner).value()', '"bob"']],
      },
      member([optionalType(A), optionalType(A)], optionalType(A)),
    ),
    rowAs(
      'orValue',
      'optionalOrValue',
      {
        meaning: 'Returns the value of an optional, or a default.',
        examples: [['R.attr.?missing.orValue("none")', '"none"']],
      },
      member([optionalType(A), A], A),
    ),
    row(
      'optional.unwrap',
      {
        meaning: 'Returns the values of a list of optionals, without those that have none.',
        examples: [['optional.unwrap([optional.of(1), optional.none()])', '[1]']],
      },
      global([listType(optionalType(A))], listType(A)),
    ),
    row(
      'unwrapOpt',
      {
        meaning: 'The same as `optional.unwrap`.',
        examples: [['[optional.none(), optional.of(2)].unwrapOpt()', '[2]']],
      },
      member([listType(optionalType(A))], listType(A)),
    ),
  ],
};
