import type { Watcher } from '../../service/watcher.js';
import type { AuditCount, Scrape } from '../options.js';
import { auditFamilies } from './audit-metrics.js';
import type { BundleMetrics } from './bundle-metrics.js';
import { CallMetrics } from './call-metrics.js';
import { EngineMetrics } from './engine-metrics.js';
import type { Snapshot } from './family.js';
import { watchProcess } from './process-metrics.js';
import { METRICS_CONTENT_TYPE, metricsText } from './text.js';

/** A watcher that counts, and what it has counted. */
export interface Metrics extends Scrape {
  readonly watcher: Watcher;
}

/**
 * The metrics of a process (server.md 5.2, users.md 4.6). Counting is a few additions a call (tests/observe/cost.ts): names, labels and text are made at a scrape.
 */
export async function createMetrics(bundle: BundleMetrics, audit: () => readonly AuditCount[], droppedLines: () => number): Promise<Metrics> {
  const calls = new CallMetrics();
  const engine = new EngineMetrics();
  const processNow = await watchProcess();
  const snapshot = async (): Promise<Snapshot> => [
    ...engine.snapshot(),
    ...bundle.snapshot(),
    ...calls.snapshot(),
    ...auditFamilies(audit()),
    { type: 'counter', name: 'authz_log_lines_dropped_total', help: 'Lines of the log that nobody read in time.', labels: [], across: 'sum', series: [{ labels: [], value: droppedLines() }] },
    ...(await processNow()),
  ];
  const watcher: Watcher = {
    began: (call) => calls.began(call),
    checked: (_, check) => engine.checked(check),
    planned: (_, plan) => engine.planned(plan),
    ended: (call, end) => calls.ended(call, end, performance.now() - call.start),
  };
  return { watcher, snapshot, text: async () => metricsText(await snapshot()), contentType: METRICS_CONTENT_TYPE };
}
