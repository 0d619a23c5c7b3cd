import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { add, divide, modulo, multiply, negate, subtract } from './arithmetic.js';
import { MAX_INT, MAX_UINT, MIN_INT } from './numbers.js';
import { CelError, Duration, Optional, type Result, Timestamp, TypeValue, Uint } from './values.js';

const A = new CelError('no such overload');

test('arithmetic never mixes numeric types', () => {
  for (const operate of [add, subtract, multiply, divide]) {
    assert.equal(operate(5, 1n), A);
    assert.equal(operate(1n, new Uint(1n)), A);
  }
});

test('int and uint overflow is an error, double is not', () => {
  assert.equal(add(MAX_INT, 1n), new CelError('integer overflow'));
  assert.equal(subtract(MIN_INT, 1n), new CelError('integer overflow'));
  assert.equal(multiply(new Uint(MAX_UINT), new Uint(2n)), new CelError('unsigned integer overflow'));
  assert.equal(subtract(new Uint(0n), new Uint(1n)), new CelError('unsigned integer overflow'));
  assert.equal(negate(MIN_INT), new CelError('integer overflow'));
  assert.equal(divide(MIN_INT, -1n), new CelError('integer overflow'));
  assert.equal(modulo(MIN_INT, -1n), new CelError('integer overflow'));
  assert.is(divide(1, 0), Number.POSITIVE_INFINITY);
});

test('int division truncates toward zero and the remainder has the sign of the dividend', () => {
  assert.is(divide(-7n, 2n), -3n);
  assert.is(modulo(7n, -2n), 1n);
  assert.is(modulo(-7n, 2n), -1n);
  assert.equal(divide(1n, 0n), new CelError('division by zero'));
  assert.equal(modulo(new Uint(1n), new Uint(0n)), new CelError('modulus by zero'));
});

test('doubles have no remainder', () => {
  assert.equal(modulo(5, 2), new CelError('no such overload: _%_'));
  assert.equal(modulo(5, 2n), new CelError('no such overload: _%_'));
});

test('strings, bytes, lists and durations add up; a timestamp takes a duration on either side', () => {
  assert.is(add('a', 'b'), 'ab');
  assert.equal(add(Uint8Array.of(1), Uint8Array.of(2)), Uint8Array.of(1, 2));
  assert.equal(add([1], ['a']), [1, 'a']);
  assert.equal(add(new Duration(1n), new Duration(2n)), new Duration(3n));
  assert.equal(add(new Duration(1n), new Timestamp(5, 0, 60)), new Timestamp(5, 1, 60));
  assert.equal(subtract(new Timestamp(5, 0, 0), new Timestamp(4, 0, 0)), new Duration(1_000_000_000n));
  assert.equal(subtract(new Duration(5n), new Duration(7n)), new Duration(-2n));
});

test('the message for a wrong type depends only on the left operand', () => {
  const texts = (left: Result) =>
    [add, subtract, modulo].map((operate) => (operate(left, new TypeValue('int')) as CelError).message);
  assert.equal(texts('a'), ['no such overload', 'no such overload', 'no such overload']);
  assert.equal(texts(2), ['no such overload', 'no such overload', 'no such overload: _%_']);
  assert.equal(texts([]), ['no such overload', 'no such overload: _-_', 'no such overload: _%_']);
  for (const left of [true, null, {}, new Optional(1)]) {
    assert.equal(texts(left), ['no such overload: _+_', 'no such overload: _-_', 'no such overload: _%_']);
  }
});

test('unary minus takes int, double and duration', () => {
  assert.is(negate(5), -5);
  assert.is(negate(5n), -5n);
  assert.equal(negate(new Duration(5n)), new Duration(-5n));
  for (const operand of [true, 'a', new Timestamp(0, 0, 0)]) assert.equal(negate(operand), A);
  for (const operand of [new Uint(1n), null, [], {}])
    assert.equal(negate(operand), new CelError('no such overload: -_'));
});

test('the first failed operand is the result', () => {
  const failure = new CelError('x');
  for (const operate of [add, subtract, multiply, divide, modulo]) {
    assert.is(operate(failure, undefined), failure);
    assert.is(operate(undefined, failure), undefined);
    assert.is(operate(null, failure), failure);
  }
});

test.run();
