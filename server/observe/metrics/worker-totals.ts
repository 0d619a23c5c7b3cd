import type { Family, Snapshot } from './family.js';
import { mergeSnapshots } from './merge.js';
import { METRICS_CONTENT_TYPE, metricsText } from './text.js';

/**
 * The metrics of a server of several processes. The primary process holds it: at a scrape it asks each worker for its
 * snapshot, records what comes, and prints the total. A worker that does not answer in time counts with what it said
 * last. What a worker counted stays counted when it ends: a counter that falls looks like a restart to Prometheus, and
 * every rate jumps.
 */
export class WorkerTotals {
  readonly #live = new Map<number, Snapshot>();
  #ended: Snapshot = [];

  /** The newest snapshot of a worker. */
  record(worker: number, snapshot: Snapshot): void {
    this.#live.set(worker, snapshot);
  }

  /** A worker is gone. */
  ended(worker: number): void {
    const last = this.#live.get(worker);
    if (last === undefined) return;
    this.#live.delete(worker);
    this.#ended = mergeSnapshots([this.#ended, last.filter(isLasting)]);
  }

  /** Sums the values of all workers, those that ended included. */
  total(): Snapshot {
    return mergeSnapshots([...this.#live.values(), this.#ended]);
  }

  /** The total as Prometheus reads it. */
  text(): string {
    return metricsText(this.total());
  }

  readonly contentType = METRICS_CONTENT_TYPE;
}

/** Whether the values of a family outlive their process: counters and histograms do, gauges do not. */
function isLasting({ type }: Family): boolean {
  return type !== 'gauge';
}
