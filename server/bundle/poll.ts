import { backOff, LONGEST_TIMER, spread } from '../backoff.js';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PollConfig } from '../config/bundle-config.js';
import { type Fetched, type Origin, OriginError } from './origin.js';

/** Time and chance, which tests replace. */
export interface PollClock {
  /** Resolves after this many milliseconds, or when the signal is aborted. */
  readonly sleep: (milliseconds: number, signal: AbortSignal) => Promise<void>;
  /** Random number from 0 to 1. */
  readonly random: () => number;
}

export interface PollOptions {
  readonly origin: Pick<Origin, 'fetch'>;
  readonly poll: PollConfig;
  /** The version that is served; undefined if the origin must be asked for all of it. */
  readonly known: string | undefined;
  /** A version that differs from the last one. Rejects if it cannot be served. */
  readonly offer: (fetched: Extract<Fetched, { readonly kind: 'fetched' }>) => Promise<void>;
  /** A request has ended: with what is served, or with the reason why something else is. */
  readonly attempted: (problem: Error | undefined, fetched: Fetched | undefined) => void;
  readonly clock?: PollClock;
}

/** Pause after the first failure, in milliseconds; each further one doubles it. */
const FIRST_RETRY = 1000;
/** Pause between a new version and the next request to an origin that holds requests, in milliseconds. */
const PAUSE = 5000;

const CLOCK: PollClock = {
  sleep: (milliseconds, signal) => sleep(milliseconds, undefined, { signal, ref: false }).catch(() => undefined),
  random: Math.random,
};

/**
 * Asks an origin for new versions, one request at a time: after a jittered interval; at once if the origin holds
 * requests; with exponentially growing waits after failures. A version that was refused is asked for again
 * unconditionally, because its validator says nothing about a damaged download.
 */
export class OriginPoll {
  #known: string | undefined;
  /** Requests in a row that failed, and versions in a row that were refused. */
  #failures = 0;
  #refusals = 0;
  #looking: Promise<unknown> = Promise.resolve();
  /** A request that has not begun. */
  #queued: Promise<Error | undefined> | undefined;
  /** What the last request led to. */
  #last: Outcome = { problem: undefined, fetched: undefined };
  /** Ends what the loop waits for: the interval, or a request that the origin holds. */
  #waiting = new AbortController();
  readonly #stopped = new AbortController();
  readonly #clock: PollClock;

  constructor(private readonly options: PollOptions) {
    this.#known = options.known;
    this.#clock = options.clock ?? CLOCK;
  }

  /**
   * Starts to ask: after this many milliseconds, or a random part of the interval, so that servers that start together do
   * not ask together.
   */
  start(wait = this.options.poll.interval * this.#clock.random()): void {
    void this.#run(wait);
  }

  /**
   * Asks now. Resolves when the response has been handled, with the reason why what the origin has is not served;
   * undefined if it is. Calls that wait for their turn share one request.
   */
  look(): Promise<Error | undefined> {
    this.#queued ??= this.#inTurn(() => {
      this.#queued = undefined;
      return this.#ask(undefined);
    }).then(({ problem }) => problem);
    this.#waiting.abort();
    return this.#queued;
  }

  /** Ends the current request, and sends no more. */
  stop(): void {
    this.#stopped.abort();
    this.#waiting.abort();
  }

  async #run(first: number): Promise<void> {
    let wait = first;
    while (!this.#stopped.signal.aborted) {
      this.#waiting = new AbortController();
      const { signal } = this.#waiting;
      await this.#clock.sleep(Math.min(wait, LONGEST_TIMER), signal);
      if (this.#stopped.signal.aborted) return;
      // A look that ended the wait has its turn before; the next wait follows from what it led to.
      const outcome = await this.#inTurn(async () => (signal.aborted ? this.#last : this.#ask(signal)));
      wait = this.#waitAfter(outcome);
    }
  }

  #inTurn(work: () => Promise<Outcome>): Promise<Outcome> {
    const done = this.#looking.then(work);
    this.#looking = done;
    return done;
  }

  /** Never rejects. */
  async #ask(hold: AbortSignal | undefined): Promise<Outcome> {
    let fetched: Fetched | undefined;
    let problem: Error | undefined;
    const { origin, offer, attempted } = this.options;
    try {
      fetched = await origin.fetch(this.#known, this.#stopped.signal, hold);
      this.#failures = 0;
      if (fetched.kind === 'fetched') {
        this.#known = undefined;
        await offer(fetched);
        this.#known = fetched.version;
        this.#refusals = 0;
      }
    } catch (error) {
      problem = error as Error;
      if (fetched === undefined) this.#failures += 1;
      else this.#refusals += 1;
    }
    this.#last = { problem, fetched };
    if (!this.#stopped.signal.aborted) attempted(problem, fetched);
    return this.#last;
  }

  #waitAfter({ problem, fetched }: Outcome): number {
    const { interval, jitter, maxBackoff } = this.options.poll;
    const random = this.#clock.random();
    if (problem !== undefined && fetched === undefined) {
      const asked = problem instanceof OriginError ? (problem.retryAfter ?? 0) : 0;
      const grown = spread(backOff(FIRST_RETRY, this.#failures, maxBackoff), random);
      return Math.min(Math.max(grown, asked), Math.max(maxBackoff, interval));
    }
    const jittered = (wait: number): number => wait * (1 + ((random * 2 - 1) * jitter) / 100);
    if (problem !== undefined) return jittered(backOff(interval, this.#refusals, Math.max(interval, maxBackoff)));
    if (fetched?.holds !== true) return jittered(interval);
    return fetched.kind === 'fetched' ? Math.min(jittered(PAUSE), interval) : 0;
  }
}

interface Outcome {
  readonly problem: Error | undefined;
  /** Undefined if the request failed. */
  readonly fetched: Fetched | undefined;
}
