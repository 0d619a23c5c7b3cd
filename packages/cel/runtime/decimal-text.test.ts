import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fixedDecimal, plainDecimal, scientificDecimal } from './decimal-text.js';

test('the shortest digits are printed without an exponent', () => {
  const texts: readonly (readonly [number, string])[] = [
    [1, '1'],
    [-0, '-0'],
    [0, '0'],
    [1.5, '1.5'],
    [1e21, '1000000000000000000000'],
    [-1.25e22, '-12500000000000000000000'],
    [1e-7, '0.0000001'],
    [1.5e-7, '0.00000015'],
    [123456.789, '123456.789'],
    [Number.NaN, 'NaN'],
    [-Infinity, '-Infinity'],
  ];
  for (const [x, text] of texts) assert.is(plainDecimal(x), text);
});

test('a fixed number of digits rounds the exact value half to even', () => {
  const texts: readonly (readonly [number, number, string])[] = [
    [2.5, 0, '2'],
    [3.5, 0, '4'],
    [-2.5, 0, '-2'],
    [1.005, 2, '1.00'],
    [0.35, 1, '0.3'],
    [0.125, 2, '0.12'],
    [0.375, 2, '0.38'],
    [1e22, 2, '10000000000000000000000.00'],
    [-0, 1, '-0.0'],
    [5e-324, 3, '0.000'],
    [0.1, 20, '0.10000000000000000555'],
    [0.999, 1, '1.0'],
  ];
  for (const [x, places, text] of texts) assert.is(fixedDecimal(x, places), text, `${x} to ${places}`);
});

test('scientific notation has an exponent of at least two digits', () => {
  const texts: readonly (readonly [number, number, string])[] = [
    [1234.5, 6, '1.234500e+03'],
    [0, 6, '0.000000e+00'],
    [0.00012345, 2, '1.23e-04'],
    [123456789, 6, '1.234568e+08'],
    [9.99, 1, '1.0e+01'],
    [2.5, 0, '2e+00'],
    [1e-300, 1, '1.0e-300'],
    [-5, 0, '-5e+00'],
    [1e23, 3, '1.000e+23'],
  ];
  for (const [x, places, text] of texts) assert.is(scientificDecimal(x, places), text, `${x} to ${places}`);
});

test.run();
