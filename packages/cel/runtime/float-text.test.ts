import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { doubleOfText } from './float-text.js';

test('accepts decimals, exponents, a point without digits on one side, and a sign', () => {
  for (const [text, value] of [
    ['1.5', 1.5],
    ['.5', 0.5],
    ['5.', 5],
    ['+1', 1],
    ['-1e3', -1000],
    ['1E-3', 0.001],
  ] as const)
    assert.is(doubleOfText(text), value);
});

test('hexadecimal needs a binary exponent', () => {
  assert.is(doubleOfText('0x1p-2'), 0.25);
  assert.is(doubleOfText('-0X.8p1'), -1);
  assert.is(doubleOfText('0x1.8p3'), 12);
  assert.is(doubleOfText('0x1'), undefined);
  assert.is(doubleOfText('0x1p2000'), undefined);
  assert.is(doubleOfText('0x1p-2000'), 0);
});

test('underscores separate digits', () => {
  assert.is(doubleOfText('1_000'), 1000);
  assert.is(doubleOfText('0x_1p0'), 1);
  for (const text of ['_1', '1_', '1__0', '1_.5', '1e_5', '_']) assert.is(doubleOfText(text), undefined);
});

test('nan, inf and infinity in any case', () => {
  assert.ok(Number.isNaN(doubleOfText('NaN')));
  assert.is(doubleOfText('-inf'), Number.NEGATIVE_INFINITY);
  assert.is(doubleOfText('Infinity'), Number.POSITIVE_INFINITY);
});

test('overflow is an error, underflow is 0, and anything else is invalid', () => {
  assert.is(doubleOfText('1e400'), undefined);
  assert.is(doubleOfText('1e-400'), 0);
  for (const text of ['', ' 1', '1 ', '.', 'e5', '1e', 'abc', '0x', '0b1', '１'])
    assert.is(doubleOfText(text), undefined);
});

test('a long string takes linear time', () => {
  assert.is(doubleOfText(`${'1'.repeat(200_000)}x`), undefined);
});

test.run();
