import type { Decision } from '../../service/decider.js';
import type { CheckEntry } from '../../service/decider.js';
import type { Checked, Exceeded, Planned } from '../../service/watcher.js';
import type { HistogramFamily, ScalarFamily, ScalarSeries, Snapshot } from './family.js';
import { BATCH_SIZE, ENGINE_MILLISECONDS, Histogram, inSeconds } from './histogram.js';

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
      help: 'Calls that failed because their conditions exceeded the evaluation limit.',
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

/**
 * Counts decisions by kind, action and effect. Callers choose kinds and actions, so both are bounded: unknown kinds,
 * and values beyond the bounds, are counted as `other`.
 */
export class DecisionCounts {
  readonly #kinds = new Map<string, KindCounts>();
  readonly #other: KindCounts = new Map();
  #size = 0;

  /** Decisions and what they are about, in the same order. */
  record(resources: readonly CheckEntry[], decisions: readonly Decision[]): void {
    for (let index = 0; index < decisions.length; index++) {
      const { actions } = decisions[index] as Decision;
      const { kind } = (resources[index] as CheckEntry).resource;
      const counts = this.#kinds.get(kind) ?? this.#newKind(kind, decisions[index] as Decision);
      for (let at = 0; at < actions.length; at++) {
        const { action, effect } = actions[at] as Decision['actions'][number];
        const count = counts.get(action) ?? this.#newAction(counts, action);
        if (effect === 1) count.allowed++;
        else count.denied++;
      }
    }
  }

  /** `authz_decisions_total`. */
  family(): ScalarFamily {
    const kinds = [...this.#kinds, [OTHER, this.#other] as const];
    const series = kinds.flatMap(([kind, counts]) =>
      [...counts].flatMap(([action, count]) => makeSeries(kind, action, count)),
    );
    return {
      type: 'counter',
      name: 'authz_decisions_total',
      help: 'Decisions by kind of resource, action and effect.',
      labels: ['kind', 'action', 'effect'],
      across: 'sum',
      series,
    };
  }

  #newKind(kind: string, { actions }: Decision): KindCounts {
    const isKnown = actions[0] !== undefined && actions[0].matchedPolicy !== NO_MATCH;
    if (!isKnown || kind === OTHER || kind.length > MAX_LABEL || this.#size >= MAX_COUNTS) return this.#other;
    const counts: KindCounts = new Map();
    this.#kinds.set(kind, counts);
    return counts;
  }

  #newAction(counts: KindCounts, action: string): Count {
    const isOther =
      counts === this.#other || action.length > MAX_LABEL || this.#size >= MAX_COUNTS || counts.size >= MAX_ACTIONS;
    const name = isOther ? OTHER : action;
    let count = counts.get(name);
    if (count === undefined) {
      count = { allowed: 0, denied: 0 };
      counts.set(name, count);
      this.#size++;
    }
    return count;
  }
}

/** Counts by action. */
type KindCounts = Map<string, Count>;

interface Count {
  allowed: number;
  denied: number;
}

const OTHER = 'other';
/** What a decision names when no policy has a word on it (docs/spec/policy-language.md#matched-policy-and-scope). */
const NO_MATCH = 'NO_MATCH';
/** Number of pairs of kind and action; a few more come of the `other` of each kind. */
const MAX_COUNTS = 1000;
/** The bound applies per kind: a caller that invents actions does not displace those of other kinds. */
const MAX_ACTIONS = 100;
/** Length in UTF-16 units. */
const MAX_LABEL = 200;

function makeSeries(kind: string, action: string, { allowed, denied }: Count): readonly ScalarSeries[] {
  return [
    { labels: [kind, action, 'allow'], value: allowed },
    { labels: [kind, action, 'deny'], value: denied },
  ].filter(({ value }) => value > 0);
}
