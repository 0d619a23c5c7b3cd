import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  filter,
  mapEach,
  mapWhere,
  sortBy,
  transformList,
  transformListWhere,
  transformMap,
  transformMapEntry,
  transformMapEntryWhere,
  transformMapWhere,
} from './comprehensions.js';
import { mapOf } from './maps.js';
import { toOutput } from './output.js';
import { CelError, type JsonMap, type Result, type Value } from './values.js';

const A = new CelError('no such overload');
const E1 = new CelError('no such key: e1');
const readValue = (result: Result) => (toOutput(result) as { readonly val: unknown }).val;

test('filter keeps the elements of a list, the keys of a map', () => {
  assert.equal(
    filter([1, 2, 3], (x) => (x as number) > 1),
    [2, 3],
  );
  assert.equal(
    filter({ a: 1, b: 2 }, (k) => k === 'b'),
    ['b'],
  );
});

test('the first error ends evaluation; a non-bool predicate has no overload', () => {
  assert.is(
    filter([1, 2], () => E1),
    E1,
  );
  assert.equal(
    filter([true, 'x'], (x) => x),
    A,
  );
  assert.is(
    mapEach([1, 2], (x) => (x === 2 ? undefined : x)),
    undefined,
  );
  assert.equal(
    mapWhere(
      [1],
      (x) => x,
      (x) => x,
    ),
    A,
  );
});

test('map with a predicate maps only elements that pass, and evaluates nothing else', () => {
  assert.equal(
    mapWhere(
      [1, 2, 3],
      (x) => (x as number) > 1,
      (x) => (x === 1 ? E1 : x),
    ),
    [2, 3],
  );
});

test('transformList returns a list from index and element or key and value', () => {
  assert.equal(
    transformList(['a', 'b'], (i) => i),
    [0n, 1n],
  );
  assert.equal(
    transformListWhere(
      { a: 1, b: 2 },
      (_k, v) => v === 2,
      (k) => k,
    ),
    ['b'],
  );
  assert.equal(
    transformList(5, (_i, v) => v),
    new CelError('unsupported comprehension range type: types.Double'),
  );
});

test('transformMap keeps the keys', () => {
  assert.equal(readValue(transformMap({ a: 1, b: 2 }, (_k, v) => (v as number) * 2)), { a: 2, b: 4 });
  assert.equal(
    readValue(
      transformMapWhere(
        { a: 1, b: 2 },
        (_k, v) => (v as number) > 1,
        (_k, v) => v,
      ),
    ),
    { b: 2 },
  );
  assert.is(
    transformMap({ a: 1 }, () => E1),
    E1,
  );
});

test('transformMapEntry inserts entries, and a duplicate key is an error', () => {
  assert.equal(readValue(transformMapEntry(['a', 'b'], (i, v) => mapOf([[v, i]]))), { a: 0, b: 1 });
  assert.equal(
    readValue(
      transformMapEntryWhere(
        { a: 'x', b: 'y' },
        (k) => k === 'a',
        (k, v) => mapOf([[v, k]]),
      ),
    ),
    { x: 'a' },
  );
  assert.equal(
    transformMapEntry(['a', 'b'], (_i, v) => mapOf([['x', v]])),
    new CelError('insert failed: key x already exists'),
  );
  assert.equal(readValue(transformMapEntry([1], () => ({}))), {});
});

test('sortBy sorts by keys of one comparable type', () => {
  const people = [{ s: 2 }, { s: 1 }];
  assert.equal(
    sortBy(people, (o) => (o as JsonMap).s),
    [{ s: 1 }, { s: 2 }],
  );
  assert.equal(
    sortBy(people, (o) => o),
    new CelError('list elements must be comparable'),
  );
  assert.equal(
    sortBy([1, 'a'], (o) => o),
    new CelError('list elements must have the same type'),
  );
  assert.is(
    sortBy(people, () => E1),
    E1,
  );
  assert.equal(
    sortBy({ a: 1 }, (k: Value) => k),
    new CelError('no such overload: @sortByAssociatedKeys'),
  );
  assert.equal(
    sortBy('text', (k) => k),
    new CelError("got 'types.String', expected iterable type"),
  );
});

test.run();
