import type { Note } from '../../diagnostics/diagnostic.js';

/** The way out of an error of the YAML package, by its code and what it says. */
export function adviseSyntax(code: string, reason: string): readonly Note[] {
  const message = reason.startsWith('sequence item without') ? `${INDENT}, or begin an item with \`- \`` : ADVICE[code];
  return message === undefined ? [] : [{ message }];
}

const INDENT = 'give all keys of a mapping and all items of a list the same indentation, in spaces';

const ADVICE: { readonly [code: string]: string | undefined } = {
  BAD_ALIAS: 'put a string that begins with `*` or `&` in quotes: `"*"`',
  BAD_COLLECTION_TYPE: 'remove the tag',
  BAD_DQ_ESCAPE: 'write `\\\\` for a backslash, or put the string in single quotes',
  BAD_INDENT: `close the bracket if one is open, and ${INDENT}`,
  BAD_PROP_ORDER: 'put a string that begins with `&`, `!` or `*` in quotes',
  BAD_SCALAR_START: 'put a string that begins with `@`, a backtick, `%` or `|` in quotes',
  BLOCK_AS_IMPLICIT_KEY: `put a string with a \`: \` in quotes, or write a list or a mapping below its key: ${INDENT}`,
  BLOCK_IN_FLOW: 'within `[]` and `{}`, write `[a, b]` and `{ a: b }` only, or put strings in quotes',
  COMMA_IN_QUOTED: 'close the quote, and put a comma between items',
  KEY_OVER_1024_CHARS: 'put the value on a line below a short key',
  MISSING_CHAR: 'put a `:` after the key, a comma between items, or the bracket or quote that closes the value',
  MULTILINE_IMPLICIT_KEY: 'put a `:` after the key, or write a string of several lines below `|-`',
  MULTIPLE_ANCHORS: 'remove one of the anchors',
  TAB_AS_INDENT: 'indent with spaces: YAML allows no tabs there',
  UNEXPECTED_TOKEN: 'put a string with a character of YAML, such as `[`, `]`, `{`, `}`, `,`, `*` or `&`, in quotes',
};
