import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  atLeast,
  atMost,
  greater,
  greaterOrEqual,
  greaterThan,
  less,
  lessOrEqual,
  lessThan,
  notGreater,
  notGreaterOrEqual,
  notLess,
  notLessOrEqual,
} from './ordering.js';
import { CelError, Duration, Optional, type Result, Timestamp, Uint, type Value } from './values.js';

test('numbers of all types have one order', () => {
  assert.is(lessThan(new Uint(1n), 2n), true);
  assert.is(lessThan(5, new Uint(6n)), true);
  assert.is(greaterThan(new Uint(1n), -1n), true);
  assert.is(greaterThan(1e300, 9223372036854775807n), true);
  assert.is(lessThan(-1e300, new Uint(0n)), true);
  assert.is(lessThan(9223372036854775807n, 9223372036854775808), false);
});

test('NaN is unordered, without an error', () => {
  for (const compare of [lessThan, atMost, greaterThan, atLeast]) assert.is(compare(Number.NaN, 1), false);
  assert.is(notLess(Number.NaN, 1n), true);
  assert.is(notLess(Number.NaN, 1), true);
});

test('strings are ordered by code point, not by UTF-16 unit', () => {
  assert.is(lessThan('\uffff', '😀'), true);
  assert.is(lessThan('a', 'ab'), true);
  assert.is(greaterThan('é', 'z'), true);
});

test('false is before true, bytes by byte, timestamps by instant, durations by length', () => {
  assert.is(lessThan(false, true), true);
  assert.is(lessThan(Uint8Array.of(0x7f), Uint8Array.of(0xff)), true);
  assert.is(lessThan(new Timestamp(1, 1, 0), new Timestamp(1, 2, 60)), true);
  assert.is(atMost(new Duration(1n), new Duration(1n)), true);
});

test('the message for a wrong type depends only on the left operand', () => {
  const unnamed: readonly Value[] = [
    1n,
    new Uint(1n),
    1,
    'a',
    true,
    Uint8Array.of(1),
    new Timestamp(0, 0, 0),
    new Duration(0n),
  ];
  for (const left of unnamed) assert.equal(lessThan(left, null), new CelError('no such overload'));
  const named: readonly Value[] = [null, [], {}, new Optional(1)];
  for (const left of named) assert.equal(lessThan(left, 1), new CelError('no such overload: _<_'));
  assert.equal(atLeast(null, 1), new CelError('no such overload: _>=_'));
});

test('a failed comparison is neither true nor false', () => {
  const pairs: readonly (readonly [Result, Result])[] = [
    ['5', 4],
    [null, 0],
    [undefined, 1],
    [true, 2],
    [[], []],
    [1, new CelError('x')],
  ];
  for (const [a, b] of pairs) {
    for (const holds of [less, lessOrEqual, greater, greaterOrEqual]) assert.is(holds(a, b), false);
    for (const holds of [notLess, notLessOrEqual, notGreater, notGreaterOrEqual]) assert.is(holds(a, b), false);
  }
  assert.is(notGreater('b', 'a'), false);
  assert.is(notGreater('a', 'a'), true);
  assert.is(notLessOrEqual(2, 1n), true);
});

test.run();
