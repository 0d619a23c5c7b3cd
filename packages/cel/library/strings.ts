import { either, global, member, row, type FunctionSection } from './function.js';
import { bool, bytes, dyn, hierarchy, int, listType, mapType, parameter, string } from './types.js';

const A = parameter('A');
const B = parameter('B');

/** docs/spec/conditions.md#string-functions. */
export const strings: FunctionSection = {
  title: 'Strings',
  intro: 'Indices count code points, starting at 0.',
  rows: [
    row(
      'size',
      {
        meaning:
          'Returns the number of code points of a string, bytes, list elements, map entries, or levels of a hierarchy.',
        examples: [
          ['size("héllo")', '5'],
          ['[1, 2].size()', '2'],
          ['size({"a": 1})', '1'],
        ],
      },
      either([string], int),
      either([bytes], int),
      either([listType(A)], int),
      either([mapType(A, B)], int),
      member([hierarchy], int),
    ),
    row(
      'contains',
      {
        meaning: 'Returns whether a string contains another string.',
        examples: [['"photo.png".contains("to.")', 'true']],
      },
      member([string, string], bool),
    ),
    row(
      'startsWith',
      {
        meaning: 'Returns whether a string starts with a prefix.',
        examples: [['"/public/a".startsWith("/public/")', 'true']],
      },
      member([string, string], bool),
    ),
    row(
      'endsWith',
      {
        meaning: 'Returns whether a string ends with a suffix.',
        examples: [['"a@example.com".endsWith("@example.com")', 'true']],
      },
      member([string, string], bool),
    ),
    row(
      'matches',
      {
        meaning:
          'Returns whether an RE2 pattern matches anywhere in a string. Use `^` and `$` to match the whole ' +
          'string. Matching takes linear time, so look-around is not supported.',
        examples: [['"A-12".matches("^[A-Z]-\\\\d+$")', 'true']],
      },
      either([string, string], bool),
    ),
    row(
      'charAt',
      {
        meaning: 'Returns the code point at an index, or an empty string if the index is the length of the string.',
        examples: [['"abc".charAt(1)', '"b"']],
      },
      member([string, int], string),
    ),
    row(
      'indexOf',
      {
        meaning:
          'Returns the index of the first occurrence of a substring, or -1. An optional offset sets where the ' +
          'search starts.',
        examples: [
          ['"banana".indexOf("an")', '1'],
          ['"banana".indexOf("an", 2)', '3'],
        ],
      },
      member([string, string], int),
      member([string, string, int], int),
    ),
    row(
      'lastIndexOf',
      {
        meaning:
          'Returns the index of the last occurrence of a substring, or -1. An optional offset sets the last ' +
          'index at which it may start.',
        examples: [
          ['"banana".lastIndexOf("an")', '3'],
          ['"banana".lastIndexOf("an", 2)', '1'],
        ],
      },
      member([string, string], int),
      member([string, string, int], int),
    ),
    row(
      'lowerAscii',
      {
        meaning: 'Converts `A` to `Z` to lower case and leaves other characters unchanged.',
        examples: [['"ÀBC".lowerAscii()', '"Àbc"']],
      },
      member([string], string),
    ),
    row(
      'upperAscii',
      {
        meaning: 'Converts `a` to `z` to upper case and leaves other characters unchanged.',
        examples: [['"abc".upperAscii()', '"ABC"']],
      },
      member([string], string),
    ),
    row(
      'replace',
      {
        meaning: 'Replaces all occurrences of a substring, or the first `n`.',
        examples: [
          ['"a-b-c".replace("-", "+")', '"a+b+c"'],
          ['"a-b-c".replace("-", "+", 1)', '"a+b-c"'],
        ],
      },
      member([string, string, string], string),
      member([string, string, string, int], string),
    ),
    row(
      'split',
      {
        meaning:
          'Splits a string at a separator, into at most `n` parts if `n` is given; the last part keeps the rest.',
        examples: [
          ['"a,b,c".split(",")', '["a", "b", "c"]'],
          ['"a,b,c".split(",", 2)', '["a", "b,c"]'],
        ],
      },
      member([string, string], listType(string)),
      member([string, string, int], listType(string)),
    ),
    row(
      'substring',
      {
        meaning: 'Returns the part of a string from a start index to its end, or up to an end index (exclusive).',
        examples: [
          ['"abcd".substring(1)', '"bcd"'],
          ['"abcd".substring(1, 3)', '"bc"'],
        ],
      },
      member([string, int], string),
      member([string, int, int], string),
    ),
    row(
      'trim',
      { meaning: 'Removes white space from both ends of a string.', examples: [['"  a b ".trim()', '"a b"']] },
      member([string], string),
    ),
    row(
      'reverse',
      {
        meaning: 'Reverses a string or a list.',
        examples: [
          ['"abc".reverse()', '"cba"'],
          ['[1, 2].reverse()', '[2, 1]'],
        ],
      },
      member([string], string),
      member([listType(A)], listType(A)),
    ),
    row(
      'join',
      {
        meaning: 'Concatenates a list of strings, with an optional separator between them.',
        examples: [
          ['["a", "b"].join("/")', '"a/b"'],
          ['["a", "b"].join()', '"ab"'],
        ],
      },
      member([listType(string)], string),
      member([listType(string), string], string),
    ),
    row(
      'format',
      {
        meaning:
          'Formats values into a string: `%s` any value, `%d` numbers, `%f` and `%e` with a precision, `%b` ' +
          'binary, `%x` hexadecimal, `%o` octal, `%%` a percent sign.',
        examples: [['"%s owes %.2f".format(["bob", 3.5])', '"bob owes 3.50"']],
      },
      member([string, listType(dyn)], string),
    ),
    row(
      'strings.quote',
      {
        meaning: 'Puts a string in double quotes and escapes it.',
        examples: [['strings.quote("a\\"b")', String.raw`"\"a\\\"b\""`]],
      },
      global([string], string),
    ),
  ],
};
