import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { AUTOMATON, literalPattern, matchesLiteral, matchesPattern } from './matches.js';
import { regexExtract, regexExtractAll, regexReplace } from './regex.js';
import { engineOf, matches, RE2 } from './regexp.js';
import { CelError, Optional, type Result } from './values.js';

const shown = (result: Result) => {
  if (result instanceof CelError) return result.message;
  return result instanceof Optional ? { optional: result.value } : result;
};

test('matches is RE2 and unanchored', () => {
  const cases: readonly (readonly [string, string, boolean | string])[] = [
    ['abc', 'b', true],
    ['a\nb', 'a.b', false],
    ['a\nb', '(?s)a.b', true],
    ['😀', '^.$', true],
    ['\u2028', '^.$', true],
    ['a\n', 'a$', false],
    ['\u212a', '(?i)k', true],
    ['\v', '\\s', false],
    ['a{,2}', '^a{,2}$', true],
    ['aé', '\\bé', true],
    ['a', '(?=a)', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`'],
    ['b', '(?<=a)b', 'error parsing regexp: invalid named capture: `(?<=a)b`'],
    ['a', '(a)\\1', 'error parsing regexp: invalid escape sequence: `\\1`'],
    ['a', '\\', 'error parsing regexp: trailing backslash at end of expression: ``'],
    ['a', '(.{100}){20}', 'error parsing regexp: invalid repeat count: `{20}`'],
    ['a', ')', 'error parsing regexp: unexpected ): `)`'],
    ['a', `${'('.repeat(5000)}${')'.repeat(5000)}`, 'error parsing regexp: expression nests too deeply'],
  ];
  for (const [text, pattern, result] of cases) {
    assert.equal(shown(matches(text, pattern)), result, pattern);
    const engine = { AUTOMATON, RE2, native: undefined }[engineOf(pattern) ?? 'native'];
    assert.is(matchesPattern(text, literalPattern(pattern, engine)), result === true, pattern);
  }
});

test('a receiver of another type is class B, a pattern class A, and a failure takes precedence', () => {
  assert.is(shown(matches(5, 'a')), 'no such overload: matches');
  assert.is(shown(matches('a', 5)), 'no such overload');
  assert.is(matches(5, undefined), undefined);
  assert.not(matchesPattern(5, literalPattern('5')));
});

test('the compiler chooses RE2 only for patterns outside the safe subset', () => {
  const engines: readonly (readonly [string, ReturnType<typeof engineOf>])[] = [
    ['^[a-z]+@example\\.com$', undefined],
    ['.*@example\\.com$', undefined],
    ['^foo.*', undefined],
    ['^.*foo', 'AUTOMATON'],
    ['(?i)(admin|administrator)', 'AUTOMATON'],
    ['^(a+)+$', 'AUTOMATON'],
    ['\\bfoo', 'RE2'],
    ['\\pL', 'RE2'],
    ['^(a{20}){20}$', 'RE2'],
    ['(a{100}){100}', 'RE2'],
    ['((){40}){40}', 'RE2'],
    ['(', 'RE2'],
  ];
  for (const [pattern, engine] of engines) assert.is(engineOf(pattern), engine, pattern);
});

test('a pattern outside the safe subset without RE2 is an error, as a DENY with it would not hold', () => {
  assert.throws(() => matchesPattern('a', literalPattern('\\pL')), /needs RE2/);
  assert.throws(() => matchesLiteral('a', '\\pL'), /needs RE2/);
});

test('an automaton takes linear time where backtracking would not', () => {
  const text = `${'a'.repeat(50_000)}!`;
  for (const pattern of ['^(a+)+$', '^(a|aa)*$', 'a*a*a*a*a*b', '(?:a?){30}a{30}c'])
    assert.is(matchesPattern(text, literalPattern(pattern, AUTOMATON)), false, pattern);
});

test('an automaton forgets states when it has many', () => {
  // One state for each subset of the last eleven code points.
  const pattern = literalPattern('^[ab]*a[ab]{11}$', AUTOMATON);
  // The digits of squares: an arbitrary order.
  const text = Array.from({ length: 20_000 }, (_, index) => (((index * index) >> 5) & 1 ? 'a' : 'b')).join('');
  assert.ok(matchesPattern(`${text}a${text.slice(0, 11)}`, pattern));
  assert.not(matchesPattern(`${text}b${text.slice(0, 11)}`, pattern));
});

test('a literal pattern also matches strings that are too long for native RegExp', () => {
  assert.ok(matchesPattern('a'.repeat(3_000_000), literalPattern('^(?:ab?)*$')));
});

test('extract returns the match or its only group, and none for an empty one', () => {
  assert.equal(shown(regexExtract('hello world', 'hello(.*)')), { optional: ' world' });
  assert.equal(shown(regexExtract('hello', 'l+')), { optional: 'll' });
  assert.equal(shown(regexExtract('hello', 'xyz')), { optional: undefined });
  assert.equal(shown(regexExtract('hello', 'h(x?)')), { optional: undefined });
  assert.equal(shown(regexExtract('hello', '')), { optional: '' });
  assert.is(shown(regexExtract('hello', '(h)(e)')), 'regular expression has more than one capturing group: "(h)(e)"');
  assert.is(shown(regexExtract('a', '[')), 'error parsing regexp: missing closing ]: `[`');
  assert.is(shown(regexExtract('a', null)), 'no such overload: regex.extract(string, null_type)');
});

test('extractAll skips empty groups and keeps empty matches', () => {
  assert.equal(regexExtractAll('id:1, id:2', 'id:(\\d)'), ['1', '2']);
  assert.equal(regexExtractAll('aXbX', '(x?)[a-z]'), []);
  assert.equal(regexExtractAll('abc', ''), ['', '', '', '']);
  assert.equal(regexExtractAll('a😀', ''), ['', '', '']);
  assert.equal(regexExtractAll('baac', 'a*'), ['', 'aa', '']);
});

test('replace supports groups and a limit, and reports invalid replacements', () => {
  const cases: readonly (readonly [Result, Result])[] = [
    [regexReplace('banana', 'a', 'i', 1n), 'binana'],
    [regexReplace('banana', 'a', 'i', 0n), 'banana'],
    [regexReplace('banana', 'a', 'i', -2n), 'binini'],
    [regexReplace('banana', 'b(a).*', '\\1'), 'a'],
    [regexReplace('banana', 'x', '\\9'), 'banana'],
    [regexReplace('banana', 'a', '$1\\\\'), 'b$1\\n$1\\n$1\\'],
    [regexReplace('héllo', '', '-'), '-h-é-l-l-o-'],
    [regexReplace('ab', '(a)|(b)', '[\\1|\\2]'), '[a|][|b]'],
    [regexReplace('banana', 'b(a).*', '\\2'), 'replacement string references group 2 but regex has only 1 group(s)'],
    [regexReplace('banana', 'a', '\\x'), "invalid replacement string: '\\x' \\ must be followed by a digit or \\"],
    [regexReplace('banana', 'a', 'x\\'), "invalid replacement string: 'x\\' \\ not allowed at end"],
    [regexReplace('a', 'b', 'c', 'd'), 'no such overload: regex.replace(string, string, string, string)'],
    [regexReplace(5, 'b', 'c'), 'no such overload: regex.replace(double, string, string)'],
  ];
  for (const [result, expected] of cases) assert.is(shown(result), expected);
  assert.is(regexReplace('a', 'b', 'c', undefined), undefined);
});

test.run();
