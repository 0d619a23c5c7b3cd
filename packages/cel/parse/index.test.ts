import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { rounds } from '../../../tests/support/effort.js';
import { parseCel } from './index.js';

test('249 levels of nesting pass, 250 do not', () => {
  for (const [open, middle, close] of [
    ['(', '1', ')'],
    ['[', '1', ']'],
    ['true?1:', '1', ''],
  ] as const) {
    const nested = (levels: number) => open.repeat(levels) + middle + close.repeat(levels);
    assert.equal(listMessages(nested(249)), []);
    assert.equal(listMessages(nested(250)), ['expression recursion limit exceeded: 250']);
  }
});

test('a chain of 250 additions or selections passes, 251 do not, && and || are exempt', () => {
  for (const link of ['+a', '.a', '[1]', '<a', '.f()']) {
    assert.equal(listMessages(`a${link.repeat(250)}`), [], link);
    assert.equal(listMessages(`a${link.repeat(251)}`), ['max recursion depth exceeded'], link);
  }
  assert.equal(listMessages(`a${'&&a'.repeat(33_000)}`), []);
  assert.equal(listMessages(`a${'||a'.repeat(33_000)}`), []);
});

test('a source has at most 100000 code points', () => {
  assert.equal(listMessages('1'.repeat(100_010)), [
    'expression code point size exceeds limit: size: 100010, limit 100000',
  ]);
  assert.equal(listMessages(`'${'😁'.repeat(99_998)}'`), []);
});

/** Code points of a source that may overflow the stack; the longest that is read, unless at quick. */
const LENGTH = Math.min(99_999, rounds(99_999, 30_000));

test('no source overflows the stack', () => {
  for (const piece of [
    '(',
    '[',
    '{',
    '-',
    '!',
    'a.',
    'f(',
    'a?',
    'a{',
    '-1',
    '{a:',
    ')',
    '1 ',
    'in ',
    '"',
    '#',
    '& ',
    '`',
  ]) {
    assert.ok(listMessages(piece.repeat(Math.floor(LENGTH / piece.length))).length > 0, piece);
  }
});

test('errors of the lexer, of literals and of macros are listed in source order', () => {
  assert.equal(listMessages('has(a) || 9223372036854775808 > 1 ;'), [
    'invalid argument to has() macro',
    'invalid int literal',
    "Syntax error: token recognition error at: ';'",
  ]);
});

test.run();

function listMessages(text: string): string[] {
  return parseCel(text).errors.map(({ message }) => message);
}
