import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { metricsText } from './text.js';

test('buckets are cumulative and end with +Inf', () => {
  const text = metricsText([
    {
      type: 'histogram',
      name: 'h',
      help: 'How long.',
      labels: ['a'],
      across: 'sum',
      bounds: [0.5, 1],
      series: [{ labels: ['x'], counts: [1, 0, 2], sum: 4.5 }],
    },
  ]);
  assert.is(
    text,
    '# HELP h How long.\n# TYPE h histogram\nh_bucket{a="x",le="0.5"} 1\nh_bucket{a="x",le="1"} 1\nh_bucket{a="x",le="+Inf"} 3\nh_sum{a="x"} 4.5\nh_count{a="x"} 3\n',
  );
});

test('values from callers cannot end a line or a label', () => {
  const text = metricsText([
    {
      type: 'counter',
      name: 'c',
      help: 'a\nb',
      labels: ['l'],
      across: 'sum',
      series: [{ labels: ['"} 1\nevil 2\\'], value: 1 }],
    },
  ]);
  assert.is(text, '# HELP c a\\nb\n# TYPE c counter\nc{l="\\"} 1\\nevil 2\\\\"} 1\n');
});

test('a family without series is omitted', () => {
  assert.is(metricsText([{ type: 'gauge', name: 'g', help: '', labels: [], across: 'max', series: [] }]), '');
});

test.run();
