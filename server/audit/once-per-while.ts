import type { OnAuditProblem } from './backend.js';

/** In milliseconds. */
const WHILE = 10_000;

/**
 * Hands on the first problem of a kind and then one in ten seconds, with how many there were: a full disk fails every
 * batch.
 */
export class OncePerWhile {
  readonly #kinds = new Map<string, { last: number; silent: number }>();

  constructor(
    private readonly hand: OnAuditProblem,
    private readonly now: () => number = Date.now,
  ) {}

  /** The kind of a problem is its text without its numbers. */
  report(message: string, error?: Error): void {
    const kind = message.replaceAll(/\d+/g, '#');
    const now = this.now();
    const seen = this.#kinds.get(kind);
    if (seen !== undefined && now - seen.last < WHILE) {
      seen.silent += 1;
      return;
    }
    // Bounded: texts of errors may hold what changes.
    if (this.#kinds.size >= 100) this.#kinds.clear();
    this.#kinds.set(kind, { last: now, silent: 0 });
    const repeated =
      seen === undefined || seen.silent === 0 ? '' : ` (and ${seen.silent} times more since it was last said)`;
    this.hand(`${message}${repeated}`, error);
  }
}
