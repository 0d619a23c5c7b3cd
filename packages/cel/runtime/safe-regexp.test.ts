import { RE2JS } from 're2js';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { automatonOf, safeRegExp } from '../../../tests/support/safe-matchers.js';

const atoms = [
  'a',
  'b',
  'k',
  'S',
  '.',
  '\\d',
  '\\w',
  '\\s',
  '\\W',
  '\\S',
  '\\.',
  '\\-',
  '[a-c]',
  '[^a]',
  '[^k\\d]',
  '[\\w-]',
  '[a-]',
  '[.-]',
  '[\\w.-]',
  '[a-c-]',
  'é',
  '😀',
  '\\n',
  '(ab)',
  '(?:a|b)',
  '(a|)',
  '(?P<n>a)',
  '[é-ü]',
  '-',
  '/',
  '[.]',
  '[*+]',
  '(a*)',
  '(?:ab|cd)',
  '[]a]',
  '[[]',
  '[a-\\d]',
  '\\v',
  'ſ',
  '[$]',
  '\\$',
  '{',
  '}',
  '[\\s\\S]',
];
const quantifiers = ['', '', '', '*', '+', '?', '{2}', '{1,3}', '{0,2}', '{2,}', '*?', '+?', '{,2}', '??', '{2,1}'];
const chars = [
  'a',
  'b',
  'c',
  'k',
  'K',
  's',
  'S',
  'ſ',
  '\u212a',
  '1',
  '_',
  '-',
  '.',
  '\t',
  '\n',
  '\f',
  '\r',
  '\v',
  '\u2028',
  'é',
  'É',
  'ü',
  '😀',
  ' ',
  '$',
  '[',
  ']',
  '*',
  '/',
];

test('a pattern of the safe subset is valid RE2 and matches what RE2 matches', () => {
  const next = numbersFrom(12_345);
  const pick = (from: readonly string[]) => from[next(from.length)] as string;
  const repeatPart = (count: number, part: () => string) => Array.from({ length: count }, part).join('');
  let safe = 0;
  for (let made = 0; made < 4000; made += 1) {
    const body = repeatPart(1 + next(4), () => pick(atoms) + pick(quantifiers) + (next(12) === 0 ? '|' : ''));
    const pattern = `${next(4) === 0 ? '(?i)' : ''}${next(2) === 0 ? '^' : ''}${body}${next(2) === 0 ? '$' : ''}`;
    const automaton = automatonOf(pattern);
    if (automaton === undefined) continue;
    const native = safeRegExp(pattern);
    if (native !== undefined) safe += 1;
    const re2 = RE2JS.compile(pattern);
    for (let tried = 0; tried < 15; tried += 1) {
      const text = repeatPart(next(6), () => pick(chars));
      const expected = re2.test(text);
      assert.is(automaton.test(text), expected, `${pattern} on ${JSON.stringify(text)}`);
      assert.is(native?.test(text) ?? expected, expected, `${pattern} on ${JSON.stringify(text)}, native`);
    }
  }
  assert.ok(safe > 500, `${safe} patterns were safe`);
});

test('a class of wide code points matches at the end of the string', () => {
  for (const pattern of ['[^a-z0-9]$', '[^a]{2}$', 'b?[^a-c]$', '(?:b|[^a-c])$', '\\W$', '.$']) {
    assert.is(safeRegExp(pattern)?.test('abc😀😀'), true, pattern);
  }
});

test('common patterns of policies are in the subset', () => {
  for (const pattern of [
    '^[a-z]+$',
    '^user-\\d+$',
    '\\d+',
    '^[a-z]+(\\.[a-z]+)*$',
    '^(foo|bar)$',
    '^[A-Z]{2}\\d{4}$',
    '(?i)^admin',
    '^https://',
    '^[\\w.-]+$',
    '^[\\w-]+/[a-z-]+$',
    'abc.*',
  ]) {
    assert.ok(safeRegExp(pattern), pattern);
  }
});

test('patterns on which backtracking could be slow are not native', () => {
  for (const pattern of [
    '(a+)+$',
    '^(a|a)*$',
    '^a*a*$',
    '^a?a?a?a?$',
    '^.*x',
    'x[a-z]+@',
    '^(a|ab)(c|bcd)$',
    '^(a*)*$',
    '^(|a|b?)$',
    '(a?){30}',
  ]) {
    assert.is(safeRegExp(pattern), undefined, pattern);
  }
});

test('syntax with a different meaning, or that RE2 rejects, is not in the subset', () => {
  for (const pattern of [
    '(?=a)',
    '(a)\\1',
    '\\u0061',
    '\\x41',
    '\\pL',
    '\\bx',
    '[[:alpha:]]',
    'a++',
    'a{,2}',
    'a{1001}',
    'x{2}{3}',
    '^a|b$',
    '(?m)^a',
    '(?s).',
    '\\',
    '[',
    '(',
    ')',
    'a\\',
    '(?i)é',
    '\\Qa\\E',
    'a$b',
  ]) {
    assert.is(safeRegExp(pattern), undefined, pattern);
  }
});

test('a safe pattern takes linear time on a string designed to fail late', () => {
  const text = `${'a'.repeat(50_000)}!`;
  assert.not(safeRegExp('^[a-z]+(\\.[a-z]+)*$')?.test(text));
  assert.not(safeRegExp('^(?:ab?)*$')?.test(text));
});

/** A small deterministic sequence of numbers. */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return Math.floor((state / 0x8000_0000) * below);
  };
}

test.run();
