import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { keyText, mapGet, mapKeys, mapOf, mapOfOptionals, mapSize } from './maps.js';
import { CelError, Optional, Uint, type ValueMap } from './values.js';

const literal = (...entries: Parameters<typeof mapOf>[0]) => mapOf(entries) as ValueMap;

test('the last of duplicate keys wins, without an error', () => {
  const map = literal([1n, 'a'], [1n, 'b']);
  assert.is(mapSize(map), 1);
  assert.is(mapGet(map, 1n), 'b');
});

test('keys 1 and 1u are two entries although lookups are cross-type, with the exact type first', () => {
  const map = literal([1n, 'a'], [new Uint(1n), 'b']);
  assert.is(mapSize(map), 2);
  assert.is(mapGet(map, new Uint(1n)), 'b');
  assert.is(mapGet(map, 1), 'a');
  assert.is(mapGet(literal([new Uint(1n), 'b']), 1n), 'b');
});

test('a double key is found only by an equal double', () => {
  assert.is(mapGet(literal([1.5, 'a']), 1.5), 'a');
  assert.is(mapGet(literal([1, 'a']), 1n), undefined);
  assert.is(mapGet(literal([5n, 'a']), 5.5), undefined);
});

test('any value is accepted as key, and types are distinct', () => {
  const map = literal([null, 1], [true, 2], [[1], 3], ['1', 4], ['true', 5]);
  assert.is(mapGet(map, null), 1);
  assert.is(mapGet(map, true), 2);
  assert.is(mapGet(map, [1]), undefined);
  assert.is(mapGet(map, 1n), undefined);
  assert.equal(mapKeys(map), [null, true, [1], '1', 'true']);
});

test('bytes as a key are the internal error of the reference PDP', () => {
  assert.equal(
    mapOf([[Uint8Array.of(1), 1]]),
    new CelError('internal error: runtime error: hash of unhashable type types.Bytes'),
  );
});

test('names of Object.prototype are ordinary keys', () => {
  assert.is(mapGet({ a: 1 }, 'constructor'), undefined);
  assert.is(mapGet(literal(['__proto__', 1]), '__proto__'), 1);
  assert.is(mapGet(JSON.parse('{"__proto__": 1}'), '__proto__'), 1);
});

test('a map literal evaluates all entries; the first error is the result', () => {
  const failure = new CelError('x');
  assert.is(
    mapOf([
      ['a', 1],
      [failure, 1],
    ]),
    failure,
  );
  assert.is(
    mapOf([
      ['a', failure],
      [undefined, 1],
    ]),
    failure,
  );
});

test('an optional entry is dropped when its value is none, and must be optional', () => {
  const map = mapOfOptionals([
    [true, 'a', new Optional(1)],
    [true, 'b', new Optional(undefined)],
    [false, 'c', 2],
  ]) as ValueMap;
  assert.equal(mapKeys(map), ['a', 'c']);
  assert.equal(
    mapOfOptionals([[true, 'a', 5]]),
    new CelError("cannot initialize optional entry 'a' from non-optional value 5"),
  );
});

test('keys in messages: strings unquoted, numbers decimal, bools as words', () => {
  assert.equal(['a b', 5, 5.5, 1e20, 5n, new Uint(7n), true].map(keyText), [
    'a b',
    '5',
    '5.5',
    '100000000000000000000',
    '5',
    '7',
    'true',
  ]);
});

test.run();
