import type { Watcher } from '../../service/watcher.js';
import type { ConditionErrorSearch } from '../condition-errors.js';
import type { AuditCount, FactSourceCounts, Scrape, SourceStatus, TenantCounts } from '../options.js';
import { auditFamilies } from './audit-metrics.js';
import { type BundleMetrics, rejectionFamilies } from './bundle-metrics.js';
import { CallMetrics } from './call-metrics.js';
import { EngineMetrics } from './engine-metrics.js';
import { factFamilies } from './fact-metrics.js';
import type { ScalarFamily, Snapshot } from './family.js';
import type { RolloutMetrics } from './rollout-metrics.js';
import { watchProcess } from './process-metrics.js';
import { sourceFamilies } from './source-metrics.js';
import { tenantFamilies } from './tenant-metrics.js';
import { METRICS_CONTENT_TYPE, metricsText } from './text.js';

/** A watcher that counts calls, and access to its counts. */
export interface Metrics extends Scrape {
  readonly watcher: Watcher;
}

/** Counters that others keep; read at a scrape. */
export interface MetricSources {
  readonly bundle: BundleMetrics;
  /** Absent without candidates. */
  readonly rollout?: RolloutMetrics | undefined;
  /** Absent without an audit log. */
  readonly audit?: (() => readonly AuditCount[]) | undefined;
  /** Absent if another process counts them. */
  readonly rejectedBundles?: (() => ReadonlyMap<string, number>) | undefined;
  /** Absent if the source of the bundle is a file. */
  readonly source?: (() => SourceStatus) | undefined;
  /** Absent without roles of tenants. */
  readonly tenants?: (() => TenantCounts) | undefined;
  /** Absent without sources of facts. */
  readonly facts?: (() => readonly FactSourceCounts[]) | undefined;
  /** Absent if conditions are not examined. */
  readonly conditions?: Pick<ConditionErrorSearch, 'examined' | 'skipped' | 'found'> | undefined;
  /** Lines of the log that were lost. */
  readonly droppedLines: () => number;
}

/**
 * The metrics of a process (docs/spec/server.md#metrics, docs/spec/server.md#metrics). Counting is a few additions a
 * call (tests/observe/cost.ts): names, labels and text are made at a scrape.
 */
export async function createMetrics(sources: MetricSources): Promise<Metrics> {
  const calls = new CallMetrics();
  const engine = new EngineMetrics();
  const processNow = await watchProcess();
  const snapshot = async (): Promise<Snapshot> => [
    ...engine.snapshot(),
    ...conditionFamilies(sources.conditions),
    ...sources.bundle.snapshot(),
    ...rejectionFamilies(sources.rejectedBundles?.()),
    ...(sources.rollout?.snapshot() ?? []),
    ...calls.snapshot(),
    ...auditFamilies(sources.audit?.() ?? []),
    ...(sources.source === undefined ? [] : sourceFamilies(sources.source())),
    ...tenantFamilies(sources.tenants?.()),
    ...factFamilies(sources.facts?.()),
    counter('authz_log_lines_dropped_total', 'Log lines dropped because the reader was too slow.', [
      { labels: [], value: sources.droppedLines() },
    ]),
    ...(await processNow()),
  ];
  const watcher: Watcher = {
    began: (call) => calls.began(call),
    checked: (_, check) => engine.checked(check),
    planned: (_, plan) => engine.planned(plan),
    exceeded: (_, exceeded) => engine.exceeded(exceeded),
    ended: (call, end) => calls.ended(call, end, performance.now() - call.start),
  };
  return { watcher, snapshot, text: async () => metricsText(await snapshot()), contentType: METRICS_CONTENT_TYPE };
}

function conditionFamilies(conditions: MetricSources['conditions']): Snapshot {
  const { found, examined, skipped } = conditions ?? { found: 0, examined: 0, skipped: 0 };
  return [
    counter(
      'authz_evaluation_errors_total',
      'Conditions that could not be evaluated, in the calls that were examined.',
      [{ labels: [], value: found }],
    ),
    counter(
      'authz_evaluation_examinations_total',
      'Calls by whether they were examined for conditions that could not be evaluated.',
      [
        { labels: ['examined'], value: examined },
        { labels: ['skipped'], value: skipped },
      ],
      ['result'],
    ),
  ];
}

function counter(
  name: string,
  help: string,
  series: ScalarFamily['series'],
  labels: readonly string[] = [],
): ScalarFamily {
  return { type: 'counter', name, help, labels, across: 'sum', series };
}
