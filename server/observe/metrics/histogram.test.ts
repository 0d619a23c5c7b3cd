import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Histogram } from './histogram.js';

test('a value is counted in the first bucket whose bound it does not exceed', () => {
  const histogram = new Histogram([1, 2, 5]);
  for (const value of [0, 1, 1.5, 2, 5, 6, Number.POSITIVE_INFINITY]) histogram.record(value);
  assert.equal(histogram.series([]).counts, [2, 2, 1, 2]);
  assert.is(histogram.count, 7);
});

test('a sum is converted to another unit by a factor', () => {
  const histogram = new Histogram([1]);
  histogram.record(2);
  histogram.record(500);
  assert.is(histogram.series(['x'], 0.001).sum, 0.502);
});

test.run();
