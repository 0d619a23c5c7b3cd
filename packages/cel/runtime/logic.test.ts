import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { and, conditional, not, or } from './logic.js';
import { CelError, type Result } from './values.js';

const A = new CelError('no such overload');
const E1 = new CelError('no such key: e1');
const E2 = new CelError('no such key: e2');

test('a && b is false if either is false, whatever the other does', () => {
  for (const other of [true, false, 5, null, E1, undefined] as const) {
    assert.is(and(false, other), false);
    assert.is(and(other, false), false);
  }
});

test('a || b is true if either is true, whatever the other does', () => {
  for (const other of [true, false, 5, null, E1, undefined] as const) {
    assert.is(or(true, other), true);
    assert.is(or(other, true), true);
  }
});

test('without a decisive operand the first failure in source order is the result', () => {
  const rows: readonly (readonly [Result, Result, Result])[] = [
    [E1, E2, E1],
    [5, E1, A],
    [E1, 5, E1],
    [5, 'a', A],
    [undefined, E1, undefined],
  ];
  for (const [a, b, problem] of rows) {
    assert.equal(and(a, b), problem);
    assert.equal(or(a, b), problem);
  }
  assert.is(and(true, E2), E2);
  assert.equal(and(true, 5), A);
  assert.is(or(false, E2), E2);
});

test('a non-bool condition of ?: or operand of ! has no overload, and an error is passed on', () => {
  assert.equal(conditional(null, 1, 2), A);
  assert.is(conditional(E1, 1, 2), E1);
  assert.equal(not(5), A);
  assert.is(not(E1), E1);
  assert.is(not(false), true);
});

test('only the chosen branch of ?: is evaluated', () => {
  assert.is(conditional(true, 1, E1), 1);
  assert.is(conditional(false, 1, E1), E1);
});

test.run();
