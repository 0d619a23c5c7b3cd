import { test } from 'uvu';
import * as assert from 'uvu/assert';
import * as optional from './optionals.js';
import { MIN_SECONDS } from './timestamp.js';
import { CelError, Duration, Message, Optional, type Result, Timestamp, Uint } from './values.js';

const NONE = optional.optionalNone();
const text = (result: Result) => (result as CelError).message;

test('ofNonZeroValue is none for 0, "", empty bytes, false, [], {}, null and an empty message', () => {
  for (const x of [
    0n,
    new Uint(0n),
    0,
    '',
    new Uint8Array(),
    false,
    [],
    {},
    null,
    new Duration(0n),
    new Message('m', {}),
  ]) {
    assert.equal(optional.optionalOfNonZeroValue(x), NONE);
  }
  for (const x of [1n, Number.NaN, 'a', [0], true]) assert.equal(optional.optionalOfNonZeroValue(x), new Optional(x));
});

test('the zero timestamp is the first instant of the year 1, to the nanosecond', () => {
  assert.equal(optional.optionalOfNonZeroValue(new Timestamp(MIN_SECONDS, 0, 0)), NONE);
  for (const t of [new Timestamp(MIN_SECONDS, 1, 0), new Timestamp(MIN_SECONDS + 1, 0, 0), new Timestamp(0, 0, 0)]) {
    assert.equal(optional.optionalOfNonZeroValue(t), new Optional(t));
  }
});

test('a value that is not zero for its type is kept', () => {
  for (const x of [new Duration(1n), new Uint(1n), new Uint8Array([0]), { a: null }, new Message('m', { a: 1 })]) {
    assert.equal(optional.optionalOfNonZeroValue(x), new Optional(x));
  }
});

test('value of none is a dereference error; errors of hasValue and value name a wrong receiver', () => {
  assert.is(text(optional.optionalValue(NONE)), 'optional.none() dereference');
  assert.is(optional.optionalValue(new Optional(null)), null);
  assert.is(text(optional.optionalHasValue(5)), 'no such overload: hasValue(double)');
  assert.is(text(optional.optionalValue(null)), 'no such overload: value(null_type)');
});

test('or and orValue evaluate the other side only for none; a wrong receiver has no overload', () => {
  const failure = new CelError('x');
  assert.is(optional.optionalOrValue(new Optional(1), failure), 1);
  assert.is(optional.optionalOrValue(NONE, failure), failure);
  assert.equal(optional.optionalOr(NONE, new Optional(2)), new Optional(2));
  assert.is(text(optional.optionalOrValue(5, 1)), 'no such overload');
  assert.is(text(optional.optionalOr('a', NONE)), 'no such overload');
  assert.is(optional.optionalOr(failure, NONE), failure);
});

test('unwrap drops nones, and its error names the type of another element', () => {
  assert.equal(optional.unwrapOpt([new Optional(5), NONE]), [5]);
  assert.equal(optional.optionalUnwrap([]), []);
  assert.is(text(optional.optionalUnwrap(5)), 'no such overload: optional.unwrap(double)');
  assert.is(text(optional.unwrapOpt([5])), 'no such overload: unwrapOpt(list)');
});

test('optMap maps present values, optFlatMap returns the optional of the body', () => {
  assert.equal(
    optional.optMap(new Optional(2n), (x) => (x as bigint) + 1n),
    new Optional(3n),
  );
  assert.equal(
    optional.optMap(NONE, () => 1),
    NONE,
  );
  assert.equal(
    optional.optFlatMap(new Optional(2n), () => NONE),
    NONE,
  );
  assert.is(text(optional.optMap(new Optional(1), () => new CelError('x'))), 'x');
  assert.is(text(optional.optMap(5, (x) => x)), 'no such overload: hasValue(double)');
});

test.run();
