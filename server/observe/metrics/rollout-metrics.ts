import type { RolloutEvents } from '../options.js';
import type { ScalarSeries, Snapshot } from './family.js';

/** How candidates compare with the current bundle (docs/rollout.md#metrics). */
export class RolloutMetrics implements RolloutEvents {
  readonly #results = { same: 0, different: 0, needs: 0, limited: 0, failed: 0, dropped: 0 };
  readonly #needs = new Map<string, number>();
  readonly #differences = new Map<string, { readonly labels: readonly string[]; value: number }>();
  #rollout: { readonly hash: string; readonly stage: string; readonly percent: number } | undefined;

  readonly changed: RolloutEvents['changed'] = (rollout) => {
    this.#rollout = rollout;
  };

  readonly dropped = (count: number): void => {
    this.#results.dropped += count;
  };

  readonly compared: RolloutEvents['compared'] = (comparison) => {
    this.#results[comparison.result]++;
    for (const fact of comparison.needs ?? [])
      if (this.#needs.has(fact) || this.#needs.size < MAX_SERIES)
        this.#needs.set(fact, (this.#needs.get(fact) ?? 0) + 1);
    for (const { call, kind, action, change } of comparison.differences ?? [])
      this.#count([call, kind, action, change]);
  };

  snapshot(): Snapshot {
    const rollout = this.#rollout;
    const series: readonly ScalarSeries[] =
      rollout === undefined ? [] : [{ labels: [rollout.hash, rollout.stage], value: 1 }];
    return [
      {
        type: 'gauge',
        name: 'authz_rollout_info',
        help: 'The candidate that is being tried; always 1.',
        labels: ['hash', 'stage'],
        across: 'max',
        series,
      },
      {
        type: 'gauge',
        name: 'authz_rollout_percent',
        help: 'Share of principals for whom the candidate decides.',
        labels: [],
        across: 'max',
        series: [{ labels: [], value: rollout?.percent ?? 0 }],
      },
      {
        type: 'counter',
        name: 'authz_rollout_compared_total',
        help: 'Calls that a candidate was to answer beside the current bundle, by what came of it.',
        labels: ['result'],
        across: 'sum',
        // Without sources of facts, nothing can be needed.
        series: Object.entries(this.#results)
          .filter(([result, value]) => result !== 'needs' || value > 0)
          .map(([result, value]) => ({ labels: [result], value })),
      },
      ...(this.#needs.size === 0
        ? []
        : ([
            {
              type: 'counter',
              name: 'authz_rollout_needs_total',
              help: 'Calls in which a candidate needed a fact that was not fetched for the current bundle.',
              labels: ['fact'],
              across: 'sum',
              series: [...this.#needs].map(([fact, value]) => ({ labels: [fact], value })),
            },
          ] satisfies Snapshot)),
      {
        type: 'counter',
        name: 'authz_rollout_differences_total',
        help: 'Answers in which a candidate differed from the current bundle.',
        labels: ['call', 'kind', 'action', 'change'],
        across: 'sum',
        series: [...this.#differences.values()],
      },
    ];
  }

  /** Callers choose kinds and actions, so the number of series is bounded. */
  #count(labels: readonly [call: string, kind: string, action: string, change: string]): void {
    const isLong = labels.some((label) => label.length > MAX_LABEL);
    const key = JSON.stringify(labels);
    let count = isLong ? undefined : this.#differences.get(key);
    if (count === undefined && !isLong && this.#differences.size < MAX_SERIES) {
      count = { labels, value: 0 };
      this.#differences.set(key, count);
    }
    count ??= this.#other(labels[0], labels[3]);
    count.value++;
  }

  #other(call: string, change: string): { readonly labels: readonly string[]; value: number } {
    const labels = [call, OTHER, OTHER, change];
    const key = JSON.stringify(labels);
    const other = this.#differences.get(key) ?? { labels, value: 0 };
    this.#differences.set(key, other);
    return other;
  }
}

const OTHER = 'other';
/** A few more come of the `other` of each change. */
const MAX_SERIES = 1000;
/** Length in UTF-16 units. */
const MAX_LABEL = 200;
