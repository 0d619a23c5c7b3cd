/**
 * The first worker after one that died comes at once, or nearly; then each waits twice as long, up to the longest.
 * Milliseconds.
 */
const FIRST = 100;
const LONGEST = 30_000;
/** A worker that has served so long did not die of its start. */
const STEADY = 10_000;

/**
 * How long to wait before workers that die are replaced: short after a mishap, ever longer for those that die again and
 * again.
 */
export class RestartDelay {
  #deaths = 0;

  /** After the death of a worker that served for `served` milliseconds. */
  next(served: number): number {
    this.#deaths = served >= STEADY ? 0 : this.#deaths + 1;
    return this.#deaths === 0 ? 0 : Math.min(LONGEST, FIRST * 2 ** Math.min(this.#deaths - 1, 20));
  }

  /** How many in a row died young. */
  get deaths(): number {
    return this.#deaths;
  }
}
