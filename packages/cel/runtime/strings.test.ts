import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as s from './strings.js';
import { CelError, type Result } from './values.js';

const E = '😀a😀';
const text = (result: Result) => (result as CelError).message;

test('indices count code points', () => {
  assert.is(s.charAt(E, 0n), '😀');
  assert.is(s.charAt(E, 1n), 'a');
  assert.is(s.charAt(E, 3n), '');
  assert.is(text(s.charAt(E, 4n)), 'index out of range: 4');
  assert.is(text(s.charAt(E, -1n)), 'index out of range: -1');
  assert.is(s.indexOf(E, '😀', 1n), 2n);
  assert.is(s.lastIndexOf(E, '😀'), 2n);
  assert.is(s.lastIndexOf(E, '😀', 1n), 0n);
  assert.is(s.substring(E, 0n, 1n), '😀');
  assert.is(s.reverse(E), E);
});

test('indexOf: negative offsets are errors, larger ones than the length find nothing, the empty string is found at the offset', () => {
  assert.is(text(s.indexOf(E, '', -1n)), 'index out of range: -1');
  assert.is(s.indexOf(E, 'a', 99n), -1n);
  assert.is(s.indexOf(E, '', 2n), 2n);
  assert.is(s.indexOf(E, '', 99n), 3n);
  assert.is(s.indexOf('', 'a'), -1n);
  assert.is(s.indexOf('', ''), 0n);
});

test('lastIndexOf starts no later than the offset', () => {
  assert.is(s.lastIndexOf(E, ''), 3n);
  assert.is(s.lastIndexOf(E, '', 99n), 3n);
  assert.is(s.lastIndexOf(E, 'a', 99n), -1n);
  assert.is(s.lastIndexOf('abc', 'abcd', 1n), -1n);
  assert.is(s.lastIndexOf('', ''), 0n);
  assert.is(s.lastIndexOf('', 'a'), -1n);
  assert.is(text(s.lastIndexOf(E, 'a', -1n)), 'index out of range: -1');
});

test('only ASCII letters change case', () => {
  assert.is(s.lowerAscii('HÉLLO'), 'hÉllo');
  assert.is(s.upperAscii('ßa'), 'ßA');
});

test('replace is literal, limited by n, and an empty pattern matches before every code point and at the end', () => {
  assert.is(s.replace('a-b-c', '-', '+'), 'a+b+c');
  assert.is(s.replace('a-b-c', '-', '+', 1n), 'a+b-c');
  assert.is(s.replace('a-b-c', '-', '+', 0n), 'a-b-c');
  assert.is(s.replace('a-b-c', '-', '+', -5n), 'a+b+c');
  assert.is(s.replace('😀a', '', '-'), '-😀-a-');
  assert.is(s.replace('ab', '', '-', 2n), '-a-b');
  assert.is(s.replace('a', 'a', '$&'), '$&');
});

test('split: an empty separator splits into code points, n limits the pieces', () => {
  assert.equal(s.split('a,b,c', ','), ['a', 'b', 'c']);
  assert.equal(s.split('a,b,c', ',', 2n), ['a', 'b,c']);
  assert.equal(s.split('a,b,c', ',', 0n), []);
  assert.equal(s.split('😀a', ''), ['😀', 'a']);
  assert.equal(s.split('abc', '', 2n), ['a', 'bc']);
  assert.equal(s.split('', ''), []);
  assert.equal(s.split('', ','), ['']);
});

test('substring checks the order first, then the begin, then the end', () => {
  assert.is(text(s.substring('hello', 9n, 1n)), 'invalid substring range. start: 9, end: 1');
  assert.is(text(s.substring('hello', -1n, 3n)), 'index out of range: -1');
  assert.is(text(s.substring('hello', 0n, 6n)), 'index out of range: 6');
  assert.is(text(s.substring('hello', 6n)), 'index out of range: 6');
  assert.is(s.substring('hello', 5n), '');
});

test('trim strips Unicode white space, keeps U+FEFF and U+200B', () => {
  assert.is(s.trim(' \u0085\u2003x y\u3000\n'), 'x y');
  assert.is(s.trim('\ufeffx\u200b'), '\ufeffx\u200b');
});

test('join checks only the first element', () => {
  assert.is(s.join(['a', 'b']), 'ab');
  assert.is(s.join(['a', 'b'], '-'), 'a-b');
  assert.is(s.join([]), '');
  assert.is(text(s.join([5, 'a'])), 'no such overload: join(list)');
  assert.is(text(s.join(['a', 5])), 'join: invalid input: 5');
  assert.is(text(s.join(['a'], 5)), 'no such overload: join(list, double)');
});

test('strings.quote escapes like a literal; other control characters are unchanged', () => {
  assert.is(s.stringsQuote('a"\\\x07\b\f\n\r\t\v\x01é'), '"a\\"\\\\\\a\\b\\f\\n\\r\\t\\v\x01é"');
});

test('the error for a wrong type names the function and all types, except for contains and similar functions', () => {
  assert.is(text(s.contains(5, 'a')), 'no such overload');
  assert.is(text(s.startsWith('a', null)), 'no such overload');
  assert.is(text(s.charAt('a', 5)), 'no such overload: charAt(string, double)');
  assert.is(text(s.indexOf('a', 5, 0n)), 'no such overload: indexOf(string, double, int)');
  assert.is(text(s.lastIndexOf('a', 'a', 'a')), 'no such overload: lastIndexOf(string, string, string)');
  assert.is(text(s.replace('a', 'a', 'a', 5)), 'no such overload: replace(string, string, string, double)');
  assert.is(text(s.substring('a', 0n, null)), 'no such overload: substring(string, int, null_type)');
  assert.is(text(s.trim(null)), 'no such overload: trim(null_type)');
});

test('a failed argument takes precedence over a wrong type', () => {
  const failure = new CelError('x');
  assert.is(s.replace(5, failure, 'a'), failure);
  assert.is(s.contains('a', failure), failure);
  assert.is(s.split('a', 'b', undefined), undefined);
  assert.is(s.join(['a'], undefined), undefined);
});

test.run();
