import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CallIds } from './call-id.js';

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

test('a call id is a ULID: ten characters of its millisecond, then sixteen that are random', () => {
  const ids = new CallIds();
  // More of them than one block of random bytes is enough for.
  const times = Array.from(
    { length: 2000 },
    (_, index) => [0, 1_764_288_000_000 + (index >> 3), 2 ** 48 - 1][index % 3] ?? 0,
  );
  const made = times.map((time) => ids.next(time));
  for (const [index, id] of made.entries()) {
    assert.match(id, /^[0-9A-HJKMNP-TV-Z]{26}$/);
    const time = [...id.slice(0, 10)].reduce((sum, character) => sum * 32 + ALPHABET.indexOf(character), 0);
    assert.is(time, times[index]);
  }
  assert.is(new Set(made.map((id) => id.slice(10))).size, made.length);
});

test.run();
