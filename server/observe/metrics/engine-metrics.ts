import type { Checked, Exceeded, Planned } from '../../service/watcher.js';
import { BATCH_SIZE, ENGINE_MILLISECONDS, inSeconds } from './buckets.js';
import { DecisionCounts } from './decision-counts.js';
import type { HistogramFamily, Snapshot } from './family.js';
import { Histogram } from './histogram.js';

/**
 * Counts what the engine does: checks, plans, decisions (docs/spec/server.md#metrics), also under the compatible names
 * of docs/spec/server.md#metrics.
 */
export class EngineMetrics {
  readonly #checks = new Histogram(ENGINE_MILLISECONDS);
  readonly #plans = new Histogram(ENGINE_MILLISECONDS);
  readonly #batches = new Histogram(BATCH_SIZE);
  readonly #decisions = new DecisionCounts();
  #unplannedRules = 0;
  readonly #exceeded = { cost: 0, depth: 0 };

  checked({ resources, decisions, duration }: Checked): void {
    this.#checks.record(duration);
    this.#batches.record(resources.length);
    this.#decisions.record(resources, decisions);
  }

  planned({ plan, duration }: Planned): void {
    this.#plans.record(duration);
    this.#unplannedRules += plan.unplanned.length;
  }

  exceeded({ reason }: Exceeded): void {
    this.#exceeded[reason]++;
  }

  snapshot(): Snapshot {
    return [
      seconds('authz_check_duration_seconds', 'How long the engine took for a check.', this.#checks),
      seconds('authz_plan_duration_seconds', 'How long the engine took for a plan.', this.#plans),
      histogram('authz_check_batch_size', 'Resources of a check.', BATCH_SIZE, this.#batches),
      this.#decisions.family(),
      counter('authz_unplanned_rules_total', 'Rules that a plan could not take into account.', this.#unplannedRules),
      this.#exceededFamily(),
      histogram('authz_dev_engine_check_batch_size', 'Resources of a check.', BATCH_SIZE, this.#batches),
    ];
  }

  #exceededFamily(): Snapshot[number] {
    const series = Object.entries(this.#exceeded).map(([reason, value]) => ({ labels: [reason], value }));
    return {
      type: 'counter',
      name: 'authz_evaluation_limit_exceeded_total',
      help: 'Calls that failed because their conditions cost more than is allowed.',
      labels: ['reason'],
      across: 'sum',
      series,
    };
  }
}

function seconds(name: string, help: string, counts: Histogram): HistogramFamily {
  return {
    type: 'histogram',
    name,
    help,
    labels: [],
    across: 'sum',
    bounds: SECONDS,
    series: [counts.series([], 0.001)],
  };
}

const SECONDS = inSeconds(ENGINE_MILLISECONDS);

function histogram(name: string, help: string, bounds: readonly number[], counts: Histogram): HistogramFamily {
  return { type: 'histogram', name, help, labels: [], across: 'sum', bounds, series: [counts.series([])] };
}

function counter(name: string, help: string, value: number): Snapshot[number] {
  return { type: 'counter', name, help, labels: [], across: 'sum', series: [{ labels: [], value }] };
}
