import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ThrottledReporter } from '../../throttled-reporter.js';
import { reportFailures } from './failures.js';

type Done = (result: { readonly code: number; readonly error?: Error }) => void;

test('failed batches are reported once with their reason, and the library does not see them fail', () => {
  const lines: string[] = [];
  const codes: number[] = [];
  const results: Parameters<Done>[0][] = [
    { code: 0 },
    { code: 1, error: new Error('connect ECONNREFUSED 127.0.0.1:4318') },
    { code: 1, error: new Error('connect ECONNREFUSED 127.0.0.1:4318') },
    // A host with several addresses, none of which accepts connections.
    { code: 1, error: Object.assign(new AggregateError([]), { code: 'ECONNREFUSED' }) },
    { code: 1, error: new Error('x'.repeat(10_000)) },
    { code: 1 },
  ];
  const exporter = reportFailures(
    { export: (batch: number, done: Done) => done(results[batch] as Parameters<Done>[0]) },
    'traces',
    new ThrottledReporter((message) => lines.push(message)),
  );
  for (const batch of results.keys()) exporter.export(batch, ({ code }) => codes.push(code));
  assert.equal(codes, [0, 0, 0, 0, 0, 0]);
  assert.equal(lines, [
    'traces cannot be sent to the collector: connect ECONNREFUSED 127.0.0.1:4318',
    'traces cannot be sent to the collector: ECONNREFUSED',
    `traces cannot be sent to the collector: ${'x'.repeat(500)}`,
    'traces cannot be sent to the collector: unknown reason',
  ]);
});

test.run();
