import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BoundedCache } from './bounded-cache.js';

test('a value is made once while it is held, and the oldest is forgotten first', () => {
  const made: string[] = [];
  const make = (text: string) => {
    made.push(text);
    return text;
  };
  const cache = new BoundedCache<string>(2, (value) => value !== 'large');
  for (const text of ['a', 'b', 'a', 'c', 'b', 'a', 'large', 'large']) assert.is(cache.get(text, make), text);
  assert.equal(made, ['a', 'b', 'c', 'a', 'large', 'large']);
});

test.run();
