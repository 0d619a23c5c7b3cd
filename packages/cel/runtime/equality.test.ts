import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { differs, equals, isEqual, notEquals } from './equality.js';
import { EvaluationLimitError, MAX_DEPTH } from './meter.js';
import { mapOf } from './maps.js';
import { CelError, Duration, Opaque, Optional, type Result, Timestamp, TypeValue, Uint, type Value } from './values.js';

class Refusing extends Opaque {
  readonly typeName = 'authz.lib.hierarchy';
  override equalTo(): CelError {
    return new CelError('no such overload');
  }
}

const NESTED = (levels: number): Value => (levels === 0 ? 1 : [NESTED(levels - 1)]);

test('values of different types are unequal without an error', () => {
  assert.is(equals('5', 5), false);
  assert.is(equals(null, 0), false);
  assert.is(equals(true, 'true'), false);
  assert.is(equals([], {}), false);
  assert.is(equals({}, null), false);
});

test('int, uint and double compare by value', () => {
  assert.is(equals(5, 5n), true);
  assert.is(equals(5n, new Uint(5n)), true);
  assert.is(equals(new Uint(5n), 5), true);
  assert.is(equals(new Uint(1n), -1n), false);
});

test('an integer is compared with a double as a double', () => {
  assert.is(equals(9007199254740993n, 9007199254740992), true);
  assert.is(equals(9223372036854775807n, 9223372036854775808), true);
  assert.is(equals(9007199254740993n, 9007199254740992n), false);
});

test('NaN equals nothing, also inside lists; -0.0 equals 0.0', () => {
  assert.is(equals(Number.NaN, Number.NaN), false);
  assert.is(equals([Number.NaN], [Number.NaN]), false);
  assert.is(equals(-0, 0), true);
});

test('lists and maps are compared by content', () => {
  assert.is(equals([1n, ['a']], [1, ['a']]), true);
  assert.is(equals([1], [1, 2]), false);
  assert.is(equals({ a: 1, b: [2] }, { b: [2], a: 1 }), true);
  assert.is(equals({ a: 1 }, { b: 1 }), false);
  assert.is(equals({ a: 1 }, mapOf([['a', 1n]])), true);
});

test('int and uint keys match each other, a double key only a double', () => {
  assert.is(equals(mapOf([[1n, 'a']]), mapOf([[new Uint(1n), 'a']])), true);
  assert.is(equals(mapOf([[1n, 'a']]), mapOf([[1, 'a']])), false);
});

test('a name of Object.prototype is not an entry', () => {
  assert.is(equals({ constructor: 1 }, { a: 1 }), false);
  assert.is(equals({ a: 1 }, JSON.parse('{"__proto__": 1}')), false);
});

test('bytes compare by content, timestamps by instant, types by name', () => {
  assert.is(equals(Uint8Array.of(1), Uint8Array.of(1)), true);
  assert.is(equals(new Timestamp(1, 0, 0), new Timestamp(1, 0, 120)), true);
  assert.is(equals(new Duration(1n), new Duration(2n)), false);
  assert.is(equals(new TypeValue('int'), new TypeValue('int')), true);
});

test('optionals are equal when both are none or both hold equal values', () => {
  assert.is(equals(new Optional(undefined), new Optional(undefined)), true);
  assert.is(equals(new Optional(1n), new Optional(1)), true);
  assert.is(equals(new Optional(1n), new Optional(undefined)), false);
  assert.is(equals(new Optional(1n), 1n), false);
});

test('a hierarchy on the left rejects other types except null; on the right it is unequal; != never fails', () => {
  const h = new Refusing();
  assert.equal(equals(h, 'a'), new CelError('no such overload'));
  assert.is(equals(h, null), false);
  assert.is(equals('a', h), false);
  assert.is(notEquals(h, 'a'), true);
});

test('the first failed operand is the result', () => {
  const first = new CelError('first');
  assert.is(equals(first, new CelError('second')), first);
  assert.is(notEquals(1, first), first);
  assert.is(equals(undefined, first), undefined);
});

test('a condition on a failed operand is neither true nor false', () => {
  const failures: readonly Result[] = [undefined, new CelError('x')];
  for (const failure of failures) {
    assert.is(isEqual(failure, failure), false);
    assert.is(isEqual('a', failure), false);
    assert.is(differs('a', failure), false);
    assert.is(differs(failure, 1), false);
  }
  assert.is(isEqual('a', 'a'), true);
  assert.is(differs(1, 'a'), true);
  assert.is(differs(1, 1n), false);
});

test('operands whose `==` fails are neither equal nor different', () => {
  assert.is(isEqual(new Refusing(), 1), false);
  assert.is(differs(new Refusing(), 1), false);
  assert.is(notEquals(new Refusing(), 1), true);
});

test('deeply nested values fail instead of overflowing the stack', () => {
  assert.is(equals(NESTED(100), NESTED(100)), true);
  assert.throws(
    () => equals(NESTED(MAX_DEPTH + 1), NESTED(MAX_DEPTH + 1)),
    (error: unknown) => error instanceof EvaluationLimitError && error.reason === 'depth',
  );
});

test.run();
