import { setTimeout as wait } from 'node:timers/promises';
import type { Written } from '../backend.js';

/** One place that audit lines go to. */
export interface LineTarget {
  /** Each line ends in a line feed. Does not reject. */
  readonly write: (lines: readonly Buffer[]) => Promise<Written>;
  readonly close: () => Promise<void>;
}

/** What bytes are appended to. */
export interface ByteTarget {
  /** Appends some of the bytes and returns how many; rejects with the error of the platform. */
  readonly append: (bytes: Buffer) => Promise<number>;
  /** Takes back the last bytes appended, a line torn by an error. False: that cannot be done here. */
  readonly takeBack: (count: number) => Promise<boolean>;
  /** Bytes that are appended at once, or Infinity: a pipe keeps pieces of this size together. */
  readonly pieceSize: number;
}

/** How long to wait before a failed write is tried again, in milliseconds. */
export const RETRY_DELAYS: readonly number[] = [50, 200, 1000];
/** A full pipe with a slow reader is not an error. */
const FULL_PIPE_DELAY = 20;

/**
 * Appends lines to a target, each completely or not at all. A failed write is retried a few times from where it
 * stopped. After lines were given up, the next ones are tried only once until one succeeds, so that a full disk does
 * not make closing slow.
 */
export class LineWriter {
  /** Part of an incomplete line could not be removed: the next line starts with a line break. */
  #isTorn: boolean;
  #isFailing = false;

  constructor(
    private readonly target: ByteTarget,
    private readonly delays: readonly number[] = RETRY_DELAYS,
    isTorn = false,
  ) {
    this.#isTorn = isTorn;
  }

  /** Each line ends in a line feed. */
  async write(lines: readonly Buffer[]): Promise<Written> {
    const torn = this.#isTorn ? 1 : 0;
    const bytes = Buffer.concat(torn === 1 ? [LINE_FEED, ...lines] : lines);
    const { at, error } = await this.#append(bytes);
    this.#isFailing = error !== undefined;
    if (error === undefined) {
      this.#isTorn = false;
      return { written: lines.length, error };
    }
    return { written: await this.#keepWhole(lines, at, torn), error };
  }

  async #append(bytes: Buffer): Promise<{ readonly at: number; readonly error: Error | undefined }> {
    const delays = this.#isFailing ? [] : this.delays;
    let failures = 0;
    let at = 0;
    while (at < bytes.length) {
      try {
        at += await this.target.append(bytes.subarray(at, pieceEnd(bytes, at, this.target.pieceSize)));
        failures = 0;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') {
          await wait(FULL_PIPE_DELAY);
          continue;
        }
        const delay = delays[failures];
        if (delay === undefined) return { at, error: error as Error };
        failures += 1;
        await wait(delay);
      }
    }
    return { at, error: undefined };
  }

  /** How many lines lie whole within the first `at` bytes; what is behind them is taken back. */
  async #keepWhole(lines: readonly Buffer[], at: number, torn: number): Promise<number> {
    let whole = 0;
    let end = torn;
    while (whole < lines.length && end + (lines[whole] as Buffer).length <= at) {
      end += (lines[whole] as Buffer).length;
      whole += 1;
    }
    if (at === 0) return 0;
    this.#isTorn = at > end && !(await this.#takeBack(at - end));
    return whole;
  }

  async #takeBack(count: number): Promise<boolean> {
    try {
      return await this.target.takeBack(count);
    } catch {
      return false;
    }
  }
}

const LINE_FEED = Buffer.from('\n');

/** Whole lines, if there are any of that length. */
function pieceEnd(bytes: Buffer, at: number, size: number): number {
  if (bytes.length - at <= size) return bytes.length;
  const last = bytes.lastIndexOf(0x0a, at + size - 1);
  if (last >= at) return last + 1;
  const next = bytes.indexOf(0x0a, at);
  return next < 0 ? bytes.length : next + 1;
}
