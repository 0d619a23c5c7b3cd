import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { inCollection, isIn, isNoneOf, isNotIn, isOneOf } from './membership.js';
import { mapOf } from './maps.js';
import { CelError, Uint, type Value } from './values.js';

const A = new CelError('no such overload');

test('x in list is true iff some element equals it, across number types', () => {
  assert.is(inCollection(1, [1n, 2n]), true);
  assert.is(inCollection(new Uint(1n), [1]), true);
  assert.is(inCollection(null, [null]), true);
  assert.is(inCollection(Number.NaN, [Number.NaN]), false);
});

test('x in map looks up a key; a key of another type is not found', () => {
  assert.is(inCollection('a', { a: 1 }), true);
  assert.is(inCollection('toString', { a: 1 }), false);
  assert.is(inCollection(1, { a: 1 }), false);
  assert.is(inCollection(5, mapOf([[5n, 'a']])), true);
});

test('bytes are neither in nor not in a literal map', () => {
  const map = mapOf([['a', 1n]]);
  assert.ok(inCollection(new Uint8Array([97]), map) instanceof CelError);
  assert.is(isIn(new Uint8Array([97]), map), false);
  assert.is(isNotIn(new Uint8Array([97]), map), false);
  assert.is(inCollection(new Uint8Array([97]), { a: 1 }), false);
});

test('in has no overload for other types, whatever the left side', () => {
  for (const collection of ['abc', 5, null, true]) assert.equal(inCollection('a', collection), A);
});

test('a failed operand is neither in nor not in', () => {
  const failure = new CelError('x');
  assert.is(inCollection(failure, []), failure);
  for (const [x, collection] of [
    [undefined, ['a']],
    ['a', undefined],
    ['a', failure],
    ['a', 'abc'],
  ] as const) {
    assert.is(isIn(x, collection), false);
    assert.is(isNotIn(x, collection), false);
  }
  assert.is(isIn('a', ['b', 'a']), true);
  assert.is(isNotIn('a', { b: 1 }), true);
});

test('membership in a literal list compiled to a set equals membership in the list', () => {
  const set: ReadonlySet<Value> = new Set<Value>(['a', 2, null, true]);
  for (const x of ['a', 2, 2n, new Uint(2n), null, true]) assert.is(isOneOf(x, set), true);
  for (const x of ['b', 3n, false, [], Number.NaN]) {
    assert.is(isOneOf(x, set), false);
    assert.is(isNoneOf(x, set), true);
  }
  assert.is(isNoneOf(undefined, set), false);
  assert.is(isNoneOf(new CelError('x'), set), false);
});

test.run();
