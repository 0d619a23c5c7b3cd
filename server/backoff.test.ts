import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { backOff, spread } from './backoff.js';

test('waits double with each failure in a row, up to the longest', () => {
  assert.equal(
    [0, 1, 2, 3, 4, 5, 1e9].map((failures) => backOff(100, failures, 1000)),
    [0, 100, 200, 400, 800, 1000, 1000],
  );
  assert.is(backOff(5000, 1, 1000), 1000);
});

test('waits are spread over their second half', () => {
  assert.equal(
    [0, 0.5, 1].map((random) => spread(1000, random)),
    [500, 750, 1000],
  );
  for (let round = 0; round < 100; round++) assert.ok(spread(1000) >= 500 && spread(1000) <= 1000);
});

test.run();
