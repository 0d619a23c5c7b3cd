import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mapOf } from './maps.js';
import { field, has, index, optionalIndex, optionalSelect, select } from './selection.js';
import { CelError, Message, Opaque, Optional, type Result, type Value, Uint } from './values.js';

const text = (result: Result) => (result instanceof CelError ? result.message : result);
const NONE = new Optional(undefined);
const resource = new Message('authz.engine.v1.Request.Resource', { kind: 'doc', policy_version: '1' });

class Levels extends Opaque {
  readonly typeName = 'authz.lib.hierarchy';
  override element(at: Value): Value | CelError {
    return typeof at === 'bigint' ? 'a' : new CelError("unsupported index type 'string'");
  }
}

test('selecting from a map returns the value or no such key; null is a value', () => {
  assert.is(select({ a: 1 }, 'a'), 1);
  assert.is(select({ a: null }, 'a'), null);
  assert.is(text(select({ a: 1 }, 'b')), 'no such key: b');
  for (const name of ['constructor', '__proto__', 'toString'])
    assert.is(text(select({}, name)), `no such key: ${name}`);
});

test('selecting from a list is an unsupported index type', () => {
  assert.is(text(select([1], 'f')), "unsupported index type 'string' in list");
});

test('selecting from any other type is no such key', () => {
  for (const object of [null, true, 5, 'text', 5n]) assert.is(text(select(object, 'f')), 'no such key: f');
});

test('a list takes integers and integral doubles in range', () => {
  const list = ['a', 'b', 'c'];
  for (const i of [1n, new Uint(1n), 1]) assert.is(index(list, i), 'b');
  assert.is(text(index(list, -1n)), 'index out of bounds: -1');
  assert.is(text(index(list, 3)), 'index out of bounds: 3');
  assert.is(text(index(list, 1.5)), 'unsupported index value 1.5 in list');
  assert.is(text(index(list, true)), "unsupported index type 'bool' in list");
});

test('indexing a map finds a key across number types', () => {
  const map = mapOf([[5n, 'a']]);
  assert.is(index(map, 5), 'a');
  assert.is(text(index(map, 5.5)), 'no such key: 5.5');
  assert.is(text(index({ '1': 'a' }, 1)), 'no such key: 1');
});

test('an index that cannot be a key is an invalid qualifier', () => {
  assert.is(text(index({}, null)), 'invalid qualifier type: types.Null');
  assert.is(text(index([1], [])), 'invalid qualifier type: *types.baseList');
  assert.is(text(index(5, {})), 'invalid qualifier type: *types.baseMap');
});

test('a message has its declared fields by both names, empty when unset', () => {
  assert.is(select(resource, 'kind'), 'doc');
  assert.is(select(resource, 'policyVersion'), '1');
  assert.is(select(resource, 'scope'), '');
  assert.is(text(select(resource, 'zz')), "no such field 'zz'");
  assert.is(text(index(resource, 1n)), 'no such overload');
});

test('an unset variable is an undefined field', () => {
  const V = new Message('authz.Variables', { a: 1n });
  assert.is(select(V, 'a'), 1n);
  assert.is(text(select(V, 'constructor')), "undefined field 'constructor'");
  assert.is(has(V, 'b'), false);
});

test('has: map by key, message by set and not empty, list an error, scalars false', () => {
  assert.is(has({ a: null }, 'a'), true);
  assert.is(has({}, 'toString'), false);
  assert.is(has(resource, 'kind'), true);
  assert.is(has(resource, 'scope'), false);
  assert.is(text(has([1], 'f')), "unsupported index type 'string' in list");
  for (const object of [null, true, 5, 'a']) assert.is(has(object, 'f'), false);
});

test('has: the derived roles are always present', () => {
  assert.is(has(new Message('authz.engine.v1.Runtime', {}), 'effectiveDerivedRoles'), true);
});

test('an error inside the operand passes through has and every selection', () => {
  const failure = new CelError('no such key: zz');
  assert.is(has(failure, 'b'), failure);
  assert.is(select(failure, 'b'), failure);
  assert.is(index(failure, null), failure);
  assert.is(index({}, failure), failure);
  assert.is(optionalSelect(failure, 'b'), failure);
});

test('e.?f is none when it is missing, also on null, numbers, strings and bools', () => {
  assert.equal(optionalSelect({ a: 1 }, 'a'), new Optional(1));
  for (const object of [{}, null, 5, 'a', true, NONE, new Optional(5)]) assert.equal(optionalSelect(object, 'f'), NONE);
  assert.equal(optionalSelect(resource, 'scope'), NONE);
});

test('e[?k] is none out of range, but an index that no list accepts is still an error', () => {
  assert.equal(optionalIndex([1], 0), new Optional(1));
  assert.equal(optionalIndex([1], -1n), NONE);
  assert.is(text(optionalIndex([1], 'a')), "unsupported index type 'string' in list");
  assert.is(text(optionalIndex([1], 1.5)), 'unsupported index value 1.5 in list');
});

test('selection applies inside an optional and stays optional', () => {
  assert.equal(select(new Optional({ b: 1 }), 'b'), new Optional(1));
  assert.equal(select(NONE, 'b'), NONE);
  assert.equal(index(new Optional([1]), 0n), new Optional(1));
  assert.is(has(new Optional({ b: 1 }), 'b'), true);
  assert.is(has(NONE, 'b'), false);
});

test('an opaque value with elements handles its own selection', () => {
  assert.is(index(new Levels(), 0n), 'a');
  assert.is(text(select(new Levels(), 'f')), "unsupported index type 'string'");
});

test('field is undefined wherever select fails', () => {
  assert.is(field({ a: 1 }, 'a'), 1);
  assert.is(field(mapOf([['a', 1]]), 'a'), 1);
  assert.is(field(Object.assign(Object.create(null), { a: 1 }), 'a'), 1);
  for (const object of [undefined, new CelError('x'), null, 5, 'text', [1]])
    assert.is(field(object, 'length'), undefined);
  assert.is(field({}, 'constructor'), undefined);
  assert.is(field(new CelError('x'), 'message'), undefined);
});

test.run();
