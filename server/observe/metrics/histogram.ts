import type { HistogramSeries } from './family.js';

/** Counts of values by bucket. Recording one finds its bucket in about five comparisons and allocates nothing. */
export class Histogram {
  readonly #bounds: Float64Array;
  /** Doubles, as a 32-bit count is full after a day of heavy use. */
  readonly #counts: Float64Array;
  #sum = 0;

  /** Bounds are ascending and inclusive. */
  constructor(bounds: readonly number[]) {
    this.#bounds = Float64Array.from(bounds);
    this.#counts = new Float64Array(bounds.length + 1);
  }

  record(value: number): void {
    const bounds = this.#bounds;
    let low = 0;
    let high = bounds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (value <= (bounds[middle] as number)) high = middle;
      else low = middle + 1;
    }
    this.#counts[low] = (this.#counts[low] as number) + 1;
    this.#sum += value;
  }

  /** How many values there were. */
  get count(): number {
    return this.#counts.reduce((total, count) => total + count, 0);
  }

  /** The series of these labels, its values multiplied: milliseconds are recorded and seconds shown. */
  series(labels: readonly string[], factor = 1): HistogramSeries {
    return { labels, counts: [...this.#counts], sum: this.#sum * factor };
  }
}

/** Bounds of the compatible names (docs/spec/server.md#metrics), in milliseconds. */
const LATENCY_MILLISECONDS: readonly number[] = [
  0.01, 0.05, 0.1, 0.3, 0.6, 0.8, 1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 30, 40, 50, 65, 80, 100, 130, 160, 200, 250,
  300, 400, 500, 650, 800, 1000, 2000, 5000, 10_000, 20_000, 50_000, 100_000,
];

/**
 * How long the engine takes, in milliseconds: a compiled decision is often below the least bound of the compatible
 * names.
 */
export const ENGINE_MILLISECONDS: readonly number[] = [0.001, 0.0025, 0.005, ...LATENCY_MILLISECONDS];

/** How many resources a check has (docs/spec/server.md#metrics). */
export const BATCH_SIZE: readonly number[] = [
  0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 16, 18, 20, 25, 30, 35, 40, 45, 50,
];

/** How long a call takes, in milliseconds: OpenTelemetry's bounds for HTTP and RPC, and some below them. */
export const CALL_MILLISECONDS: readonly number[] = [
  0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000,
];

/** Sizes of bodies, in bytes. */
export const BODY_BYTES: readonly number[] = [64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304];

/** Bounds in milliseconds as bounds in seconds. */
export function inSeconds(bounds: readonly number[]): readonly number[] {
  return bounds.map((bound) => bound / 1000);
}
