import { setTimeout as wait } from 'node:timers/promises';
import { backOff, spread } from '../backoff.js';

/** Pause before the second attempt, in milliseconds; each further pause is twice as long, up to the maximum. */
const FIRST_PAUSE = 100;
const LONGEST_PAUSE = 5000;

/** Repeats what a service refuses or does not answer: for a limited time, with growing, random pauses, until it is stopped. */
export class Retries {
  readonly #stopped = new AbortController();

  /** @param timeout after which no attempt begins, in milliseconds. */
  constructor(private readonly timeout: number) {}

  /** Runs attempts until one succeeds. Returns the error of the last one if none did. */
  async run(attempt: () => Promise<void>): Promise<Error | undefined> {
    const deadline = Date.now() + this.timeout;
    for (let failures = 1; ; failures++) {
      try {
        await attempt();
        return undefined;
      } catch (error) {
        const length = spread(backOff(FIRST_PAUSE, failures, LONGEST_PAUSE));
        if (error instanceof PermanentError || Date.now() + length > deadline) return error as Error;
        if (!(await this.#pause(length))) return error as Error;
      }
    }
  }

  /** No attempt begins after this. */
  stop(): void {
    this.#stopped.abort();
  }

  /** False: it was stopped meanwhile. */
  async #pause(length: number): Promise<boolean> {
    try {
      await wait(length, undefined, { signal: this.#stopped.signal });
      return true;
    } catch {
      return false;
    }
  }
}

/** An attempt that cannot succeed later. */
export class PermanentError extends Error {}
