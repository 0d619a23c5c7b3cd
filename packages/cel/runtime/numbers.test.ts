import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { compareNumbers, doubleText, plainDoubleText } from './numbers.js';
import { Uint } from './values.js';

test('string(double) is plain from 1e-4 to below 1e6 and scientific outside', () => {
  const rows: readonly (readonly [number, string])[] = [
    [5, '5'],
    [100000, '100000'],
    [123456.789, '123456.789'],
    [1000000, '1e+06'],
    [123456789, '1.23456789e+08'],
    [1e21, '1e+21'],
    [0.0001, '0.0001'],
    [0.00001, '1e-05'],
    [-0, '-0'],
    [0, '0'],
    [-1.5, '-1.5'],
    [0.1 + 0.2, '0.30000000000000004'],
    [5e-324, '5e-324'],
    [Number.NaN, 'NaN'],
    [Number.POSITIVE_INFINITY, '+Inf'],
    [Number.NEGATIVE_INFINITY, '-Inf'],
  ];
  for (const [value, text] of rows) assert.is(doubleText(value), text);
});

test('inside a message an exponent starts at 1e21', () => {
  assert.is(plainDoubleText(1234567.5), '1234567.5');
  assert.is(plainDoubleText(1e20), '100000000000000000000');
  assert.is(plainDoubleText(1e300), '1e+300');
});

test('integers are compared with doubles as doubles, and with each other exactly', () => {
  assert.is(compareNumbers(9007199254740993n, 9007199254740992), 0);
  assert.is(compareNumbers(9007199254740993n, new Uint(9007199254740992n)), 1);
  assert.is(compareNumbers(Number.POSITIVE_INFINITY, 2n ** 63n - 1n), 1);
  assert.is(compareNumbers(Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY), 0);
  assert.ok(Number.isNaN(compareNumbers(Number.NaN, 1n)));
  assert.is(compareNumbers(1, '1'), undefined);
});

test.run();
