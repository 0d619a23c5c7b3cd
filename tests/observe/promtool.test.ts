import { spawnSync } from 'node:child_process';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { BundleMetrics } from '../../server/observe/metrics/bundle-metrics.js';
import type { Snapshot } from '../../server/observe/metrics/family.js';
import { createMetrics, type Metrics } from '../../server/observe/metrics/metrics.js';
import { WorkerTotals } from '../../server/observe/metrics/worker-totals.js';
import type { Planned } from '../../server/service/watcher.js';
import { skip } from '../support/skip.js';
import { sampleCall, sampleCheck, sampleEnd } from './sample-calls.js';

const hasPromtool = spawnSync('promtool', ['--version']).error === undefined;

if (hasPromtool) {
  test('promtool accepts a scrape of one process', async () => {
    assert.is(problemsOf(await (await everyMetric()).text()), '');
  });

  test('promtool accepts a scrape of several workers', async () => {
    const totals = new WorkerTotals();
    for (const worker of [1, 2])
      totals.record(worker, JSON.parse(JSON.stringify(await (await everyMetric()).snapshot())) as Snapshot);
    assert.is(problemsOf(totals.text()), '');
  });

  test('promtool rejects an invalid name', () => {
    assert.match(problemsOf('# HELP wait_total Waiting.\n# TYPE wait_total gauge\nwait_total 1\n'), 'wait_total');
  });
} else skip(import.meta.url, 'promtool is not installed (Debian: prometheus)');

test.run();

function problemsOf(text: string): string {
  const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], { input: text, encoding: 'utf8' });
  return status === 0 ? stderr : `${stdout}${stderr}`;
}

/** A scrape with a sample of each family. */
async function everyMetric(): Promise<Metrics> {
  const bundle = new BundleMetrics();
  const metrics = await createMetrics({
    bundle,
    audit: () => [{ kind: 'decision', written: 1, dropped: 1, failed: 1 }],
    droppedLines: () => 1,
  });
  bundle.loaded({ hash: 'h', version: '1' });
  bundle.loaded({ hash: 'i', version: '1' });
  bundle.refused();
  for (const protocol of ['rest', 'grpc', 'connect', 'grpc-web'] as const) {
    metrics.watcher.began?.(sampleCall({ protocol }));
    metrics.watcher.checked?.(sampleCall({ protocol }), sampleCheck());
    metrics.watcher.planned?.(sampleCall({ protocol }), { plan: { unplanned: [] }, duration: 1 } as unknown as Planned);
    metrics.watcher.ended?.(sampleCall({ protocol }), sampleEnd());
    metrics.watcher.ended?.(sampleCall({ protocol }), sampleEnd({ code: 'invalid_argument', httpStatus: 400 }));
  }
  return metrics;
}
