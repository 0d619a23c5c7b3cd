/** Milliseconds. */
const PERIOD = 10_000;
/** How many kinds of problem are remembered: error messages may contain variable parts. */
const MAX_KINDS = 100;

/**
 * Reports the first problem of a kind at once, and then at most one in ten seconds with the number of those omitted: a
 * full disk or a collector that is down fails every batch.
 */
export class ThrottledReporter {
  readonly #kinds = new Map<string, { last: number; omitted: number }>();

  constructor(
    private readonly log: (message: string, error?: Error) => void,
    private readonly now: () => number = Date.now,
  ) {}

  /** The kind of a problem is its message without numbers. */
  report(message: string, error?: Error): void {
    const kind = message.replaceAll(/\d+/g, '#');
    const now = this.now();
    const seen = this.#kinds.get(kind);
    if (seen !== undefined && now - seen.last < PERIOD) {
      seen.omitted += 1;
      return;
    }
    if (this.#kinds.size >= MAX_KINDS) this.#kinds.clear();
    this.#kinds.set(kind, { last: now, omitted: 0 });
    const repeated =
      seen === undefined || seen.omitted === 0 ? '' : ` (and ${seen.omitted} more since the last message)`;
    this.log(`${message}${repeated}`, error);
  }
}
