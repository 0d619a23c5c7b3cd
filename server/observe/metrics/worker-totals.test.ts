import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Aggregate, Snapshot } from './family.js';
import { WorkerTotals } from './worker-totals.js';

test('counters and histograms of workers add up, series by series', () => {
  const totals = new WorkerTotals();
  totals.record(1, [counter(['a'], 2), histogram([1, 0], 0.5)]);
  totals.record(2, [counter(['a'], 3), histogram([1, 4], 9)]);
  totals.record(3, [counter(['b'], 7)]);
  assert.equal(totals.total(), [
    {
      ...counter([], 0),
      series: [
        { labels: ['a'], value: 5 },
        { labels: ['b'], value: 7 },
      ],
    },
    histogram([2, 4], 9.5),
  ]);
});

test('a gauge has its own aggregation', () => {
  const together = (across: Aggregate): unknown => {
    const totals = new WorkerTotals();
    totals.record(1, gauge(across, 2));
    totals.record(2, gauge(across, 6));
    return totals.total().map(({ series }) => (series[0] as { readonly value: number }).value);
  };
  assert.equal(together('sum'), [8]);
  assert.equal(together('max'), [6]);
  assert.equal(together('min'), [2]);
  assert.equal(together('average'), [4]);
  assert.equal(together('first'), [2]);
  assert.equal(together('omit'), []);
});

test('a counter never decreases when a worker ends, and its gauges are removed', () => {
  const totals = new WorkerTotals();
  totals.record(1, [counter(['a'], 2), ...gauge('sum', 5)]);
  totals.record(2, [counter(['a'], 3), ...gauge('sum', 5)]);
  totals.ended(1);
  totals.record(4, [counter(['a'], 10), ...gauge('sum', 1)]);
  totals.ended(4);
  totals.ended(99);
  assert.equal(totals.total(), [counter(['a'], 15), ...gauge('sum', 5)]);
});

test('a single process is reported unchanged, whatever the aggregation', () => {
  const totals = new WorkerTotals();
  totals.record(1, gauge('omit', 3));
  assert.equal(totals.total(), gauge('omit', 3));
});

test('a snapshot can be sent as JSON', () => {
  const totals = new WorkerTotals();
  totals.record(1, JSON.parse(JSON.stringify([counter(['a'], 2), histogram([1, 2], 3)])) as Snapshot);
  assert.match(totals.text(), /c\{l="a"\} 2\n/);
  assert.match(totals.text(), /h_count 3\n/);
});

test.run();

function counter(labels: readonly string[], value: number): Snapshot[number] {
  return { type: 'counter', name: 'c', help: '', labels: ['l'], across: 'sum', series: [{ labels, value }] };
}

function gauge(across: Aggregate, value: number): Snapshot {
  return [{ type: 'gauge', name: 'g', help: '', labels: [], across, series: [{ labels: [], value }] }];
}

function histogram(counts: readonly number[], sum: number): Snapshot[number] {
  return {
    type: 'histogram',
    name: 'h',
    help: '',
    labels: [],
    across: 'sum',
    bounds: [1],
    series: [{ labels: [], counts, sum }],
  };
}
