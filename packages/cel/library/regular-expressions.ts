import { global, row, type FunctionSection } from './function.js';
import { int, listType, optionalType, string } from './types.js';

/** docs/spec/conditions.md#regular-expression-functions. */
export const regularExpressions: FunctionSection = {
  title: 'Regular expressions',
  intro:
    'Patterns use RE2 syntax. A pattern can have one group; the functions that extract then return the text of ' +
    'the group.',
  rows: [
    row(
      'regex.extract',
      {
        meaning: 'Returns the first match as an optional, which is none if there is no match.',
        examples: [[String.raw`regex.extract("id-42", "id-(\\d+)").value()`, '"42"']],
      },
      global([string, string], optionalType(string)),
    ),
    row(
      'regex.extractAll',
      { meaning: 'Returns all matches.', examples: [[String.raw`regex.extractAll("a1b22", "\\d+")`, '["1", "22"]']] },
      global([string, string], listType(string)),
    ),
    row(
      'regex.replace',
      {
        meaning: 'Replaces all matches, or the first `n`. `\\\\1` in the replacement is a group.',
        examples: [[String.raw`regex.replace("bob@x.org", "@(.*)", " at \\1")`, '"bob at x.org"']],
      },
      global([string, string, string], string),
      global([string, string, string, int], string),
    ),
  ],
};
