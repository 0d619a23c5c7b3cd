import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as math from './math.js';
import { MIN_INT } from './numbers.js';
import { CelError, type Result, Uint } from './values.js';

const text = (result: Result) => (result as CelError).message;

test('greatest and least compare across numeric types; the first of equal values wins', () => {
  assert.is(math.mathGreatest(1n, 2.5), 2.5);
  assert.is(math.mathGreatest(1n, 1), 1n);
  assert.is(math.mathLeast(1n, 1), 1n);
  assert.is(math.mathLeast(1n, new Uint(2n), 0.5), 0.5);
  assert.is(math.mathGreatest([3, 1, 2]), 3);
  assert.is(math.mathLeast(5), 5);
});

test('the message for a wrong type depends on the form', () => {
  assert.is(text(math.mathGreatest('a')), 'no such overload: math.@max(string)');
  assert.is(text(math.mathLeast('a', 1)), 'no such overload: math.@min(string, double)');
  assert.is(text(math.mathGreatest(1, null, 2)), 'no such overload: math.@max');
  assert.is(text(math.mathLeast([1, 'a', null])), 'no such overload: math.@min');
  assert.is(text(math.mathGreatest([])), 'math.@max(list) argument must not be empty');
  assert.is(math.mathGreatest(1, undefined, new CelError('x')), undefined);
  assert.is(text(math.mathGreatest('a', new CelError('x'))), 'x');
});

test('round is half away from zero', () => {
  for (const [x, rounded] of [
    [-1.5, -2],
    [-2.5, -3],
    [0.5, 1],
    [0.49999999999999994, 0],
    [2.5, 3],
    [-0.4, -0],
    [4503599627370497.5, 4503599627370498],
  ] as const) {
    assert.ok(Object.is(math.mathRound(x), rounded), String(x));
  }
  assert.is(math.mathRound(Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);
  assert.ok(Number.isNaN(math.mathRound(Number.NaN)));
});

test('abs, sign and sqrt take every number; abs of the smallest int overflows', () => {
  assert.is(math.mathAbs(-5n), 5n);
  assert.is(text(math.mathAbs(MIN_INT)), 'integer overflow');
  assert.equal(math.mathSign(new Uint(5n)), new Uint(1n));
  assert.is(math.mathSign(-5n), -1n);
  assert.ok(Number.isNaN(math.mathSign(Number.NaN)));
  assert.is(math.mathSqrt(2n), Math.SQRT2);
  assert.is(text(math.mathAbs('a')), 'no such overload: math.abs(string)');
});

test('ceil, floor, trunc and the double predicates take only doubles', () => {
  assert.is(math.mathCeil(1.2), 2);
  assert.is(math.mathFloor(-1.2), -2);
  assert.is(math.mathTrunc(-1.7), -1);
  assert.is(math.mathIsInf(Number.NEGATIVE_INFINITY), true);
  assert.is(math.mathIsFinite(Number.NaN), false);
  assert.is(text(math.mathCeil(5n)), 'no such overload: math.ceil(int)');
});

test('bitwise functions of ints and uints', () => {
  assert.is(math.mathBitAnd(3n, 5n), 1n);
  assert.is(math.mathBitOr(-8n, 1n), -7n);
  assert.equal(math.mathBitXor(new Uint(3n), new Uint(5n)), new Uint(6n));
  assert.equal(math.mathBitNot(new Uint(0n)), new Uint(2n ** 64n - 1n));
  assert.is(math.mathBitNot(0n), -1n);
  assert.is(text(math.mathBitAnd(1n, new Uint(1n))), 'no such overload: math.bitAnd(int, uint)');
});

test('shifts of 64 and more give 0, the right shift of an int is logical', () => {
  assert.is(math.mathBitShiftLeft(1n, 63n), MIN_INT);
  assert.is(math.mathBitShiftLeft(1n, 64n), 0n);
  assert.equal(math.mathBitShiftLeft(new Uint(1n), 200n), new Uint(0n));
  assert.is(math.mathBitShiftRight(-1n, 1n), 9223372036854775807n);
  assert.is(math.mathBitShiftRight(1024n, 2n), 256n);
  assert.is(math.mathBitShiftLeft(1n, 2n ** 62n), 0n);
  assert.is(text(math.mathBitShiftLeft(1n, -1n)), 'math.bitShiftLeft() negative offset: -1');
});

test.run();
