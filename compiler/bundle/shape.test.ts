import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { filled, shapeOf } from './shape.js';

test('a number with an exponent is one literal', () => {
  const shape = shapeOf("const limit = [1e+21, 1.7976931348623157e+308, 5e-7, 10n, 'a'];");
  assert.equal(shape?.literals, ['1e+21', '1.7976931348623157e+308', '5e-7', '10n', "'a'"]);
});

test('a sum of numbers is not a literal', () => {
  assert.equal(shapeOf('const sum = 1 + 2+3;')?.literals, ['1', '2', '3']);
});

test('a shape filled with its own literals is the original code', () => {
  const code = "const a = { 'k-1': 1e+21, b: ['x', 2] };";
  const shape = shapeOf(code);
  assert.is(shape && filled(shape, shape.literals), code);
});

test.run();
