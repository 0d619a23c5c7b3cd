import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { bytesInUse } from '../../../tests/support/heap.js';
import { BoundedCache } from './bounded-cache.js';

test('a value is created once while it is cached, and the oldest is evicted first', () => {
  const made: string[] = [];
  const make = (text: string) => {
    made.push(text);
    return text;
  };
  const cache = new BoundedCache<string>(2, (value) => value !== 'large');
  for (const text of ['a', 'b', 'a', 'c', 'b', 'a', 'large', 'large']) assert.is(cache.get(text, make), text);
  assert.equal(made, ['a', 'b', 'c', 'a', 'large', 'large']);
});

test('values for long keys are not cached', () => {
  let made = 0;
  const cache = new BoundedCache<number>(2);
  const texts = ['a'.repeat(10_000), 'a'.repeat(10_001)];
  for (const text of [...texts, ...texts]) cache.get(text, () => ++made);
  assert.is(made, 3);
});

test('a cached substring does not keep its long string in memory', () => {
  const cache = new BoundedCache<number>(100);
  const before = bytesInUse();
  // 400 MB of strings.
  for (let round = 0; round < 100; round++) cache.get(`${round}`.padEnd(4_000_000, 'x').slice(0, 100), () => round);
  const grown = bytesInUse() - before;
  assert.ok(grown < 20_000_000, `${grown} bytes`);
});

test.run();
