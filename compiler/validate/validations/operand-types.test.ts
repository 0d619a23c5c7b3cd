import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { conditional, warningCodesOf, warningsOf } from '../../../tests/support/warnings.js';

const NEVER = ['comparison/never-holds'];

test('plain JSON is never a timestamp, a duration, bytes or an address (docs/spec/conditions.md#numbers-in-requests, docs/spec/conditions.md#equality)', () => {
  for (const text of [
    'R.attr.at == timestamp("2030-01-01T00:00:00Z")',
    'duration("1h") == P.attr.limit',
    'R.attr.key == b"abc"',
    'C.at == now()',
    'request.auxData.jwt.exp == now()',
    'R.attr.at in [now()]',
    'R.attr.ip == ip("10.0.0.1")',
    'R.attr.nested.list[0] == duration("1h")',
    '{"a": R.attr.at == now()}.a',
  ]) {
    const fields = text.startsWith('C.') ? ', constants: {local: {at: "2030"}}' : '';
    assert.equal(warningCodesOf(conditional(text, fields)), NEVER, text);
  }
  assert.equal(warningsOf(conditional('R.attr.at != now()')), [
    'comparison/never-holds: `!=` is always true: a JSON value and a timestamp are never equal',
  ]);
});

test('numbers of all types compare, and so do uncertain types', () => {
  for (const text of [
    'R.attr.n == 1',
    'R.attr.n == 1u',
    'R.attr.n in [1, 2]',
    'R.attr.x == null',
    'R.attr.x == [] || R.attr.x == {}',
    'R.attr.x == P.attr.y',
    'G.at == now()',
    'V.at == now()',
    'dyn(1) == "a"',
    'R.attr.l.exists(x, x == 1)',
    'timestamp(R.attr.at) == now()',
    'R.attr.?x == optional.none()',
  ]) {
    const fields = text.startsWith('V.') ? ", variables: {local: {at: 'timestamp(R.attr.at)'}}" : '';
    assert.equal(warningCodesOf(conditional(text, fields)), [], text);
  }
});

const FAILS = ['expression/always-fails'];

test('arithmetic never mixes number types, and attributes are doubles (docs/spec/conditions.md#arithmetic)', () => {
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
    'expression/always-fails: `+` always fails: it is not defined for a JSON value and an int',
  ]);
});

test('a timestamp or a duration is a string in JSON', () => {
  for (const text of [
    'R.attr.due < now()',
    'timestamp(R.attr.at) - R.attr.limit < now()',
    'R.attr.limit >= duration("1h")',
  ]) {
    assert.equal(warningCodesOf(conditional(text)), FAILS, text);
  }
});

test('expressions that may work for some request are not reported', () => {
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
