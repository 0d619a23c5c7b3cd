import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  all,
  all2,
  everyElement,
  everyEntry,
  exists,
  exists2,
  existsOne,
  existsOne2,
  someElement,
  someEntry,
} from './quantifiers.js';
import { CelError, type Result, type Value } from './values.js';

const A = new CelError('no such overload');
const E1 = new CelError('no such key: e1');
const itself = (x: Value): Result => x;

test('all stops at the first false; otherwise the first failure is the result', () => {
  assert.is(
    all([1, 2, 3], (x) => (x === 3 ? false : E1)),
    false,
  );
  assert.is(
    all([1, 2], (x) => (x === 1 ? E1 : true)),
    E1,
  );
  assert.is(
    all([1, 2], (x) => (x === 2 ? undefined : true)),
    undefined,
  );
  assert.is(all([true, false, 'x'], itself), false);
  assert.equal(all([true, 'x', 5], itself), A);
});

test('exists stops at the first true; otherwise the first failure is the result', () => {
  assert.is(
    exists([1, 2, 3], (x) => (x === 3 ? true : E1)),
    true,
  );
  assert.is(
    exists([1, 2], (x) => (x === 1 ? E1 : false)),
    E1,
  );
  assert.equal(exists([false, 'x'], itself), A);
});

test('exists_one absorbs nothing', () => {
  assert.is(
    existsOne([1, 2], (x) => x === 1),
    true,
  );
  assert.is(
    existsOne([1, 1], (x) => x === 1),
    false,
  );
  assert.is(
    existsOne([1, 2], (x) => (x === 1 ? E1 : true)),
    E1,
  );
  assert.equal(existsOne([true, false, 'x'], itself), A);
});

test('an empty range: all is true, exists is false, whatever the body', () => {
  assert.is(
    all([], () => E1),
    true,
  );
  assert.is(
    exists({}, () => E1),
    false,
  );
  assert.is(
    existsOne([], () => E1),
    false,
  );
});

test('one-variable macros iterate over the keys of a map, two-variable ones over index or key and element or value', () => {
  assert.is(
    all({ a: 1, b: 2 }, (k) => k === 'a' || k === 'b'),
    true,
  );
  assert.is(
    exists2({ a: 1, b: 2 }, (k, v) => k === 'b' && v === 2),
    true,
  );
  assert.is(
    all2(['x'], (i, v) => i === 0n && v === 'x'),
    true,
  );
  assert.is(
    existsOne2([5, 6], (i) => i === 1n),
    true,
  );
});

test('the error for a range that is neither list nor map names its implementation type', () => {
  assert.equal(
    all(5, () => true),
    new CelError("got 'types.Double', expected iterable type"),
  );
  assert.equal(
    exists('text', () => true),
    new CelError("got 'types.String', expected iterable type"),
  );
  assert.equal(
    all2(null, () => true),
    new CelError('unsupported comprehension range type: types.Null'),
  );
  assert.is(
    exists(E1, () => true),
    E1,
  );
});

test('the fast tests are true only over an iterable range', () => {
  for (const range of [undefined, E1, 5, 'text', null]) {
    for (const holds of [everyElement, someElement, everyEntry, someEntry])
      assert.is(
        holds(range, () => true),
        false,
      );
  }
  assert.is(
    everyElement([], () => false),
    true,
  );
  assert.is(
    everyElement({ a: 1 }, (k) => k === 'a'),
    true,
  );
  assert.is(
    someEntry([5, 6], (i, v) => i === 1n && v === 6),
    true,
  );
  assert.is(
    everyEntry({ a: 1 }, (k, v) => k === 'a' && v === 1),
    true,
  );
});

test.run();
