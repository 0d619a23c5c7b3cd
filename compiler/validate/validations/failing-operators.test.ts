import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { conditional, warningCodesOf, warningsOf } from '../../../tests/support/warnings.js';

const FAILS = ['expression/always-fails'];

test('arithmetic never mixes kinds of numbers, and attributes are doubles (docs/spec/conditions.md#arithmetic)', () => {
  for (const text of [
    'R.attr.n + 1 == 2',
    'R.attr.n - 1u > 2',
    'R.attr.n % 2 == 0',
    'R.attr.n % R.attr.m == 1',
    'R.attr.n * 2 < 3',
    '1 / R.attr.n == 1',
  ]) {
    assert.equal(warningCodesOf(conditional(text)), FAILS, text);
  }
  assert.equal(warningsOf(conditional('R.attr.n + 1 == 2')), [
    'expression/always-fails: `+` always fails: it is not defined for plain JSON and an int',
  ]);
});

test('a moment or a span of time is a text in JSON', () => {
  for (const text of [
    'R.attr.due < now()',
    'timestamp(R.attr.at) - R.attr.limit < now()',
    'R.attr.limit >= duration("1h")',
  ]) {
    assert.equal(warningCodesOf(conditional(text)), FAILS, text);
  }
});

test('what could work in some request is left alone', () => {
  for (const text of [
    'R.attr.n + 1.0 == 2.0',
    'R.attr.n + R.attr.m == 2.0',
    'R.attr.s + "x" == "yx"',
    'R.attr.l + [1] == [1]',
    'int(R.attr.n) % 2 == 0',
    'R.attr.n < 1',
    'R.attr.a < R.attr.b',
    'timestamp(R.attr.due) < now()',
    'G.n + 1 == 2',
    '-R.attr.n < 0.0',
    'R.attr.l.exists(x, x + 1.0 > 2.0)',
  ]) {
    assert.equal(warningCodesOf(conditional(text)), [], text);
  }
});

test.run();
