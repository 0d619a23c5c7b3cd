import { setTimeout as wait } from 'node:timers/promises';
import type { Written } from '../backend.js';
import type { StoredRecord } from '../record.js';
import { lineLength, writeLine } from './entry-line.js';

/** One place that audit lines go to. */
export interface LineTarget {
  /** Writes a line for each record. One call is under way at a time. Does not reject. */
  readonly write: (records: readonly StoredRecord[]) => Promise<Written>;
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
  /** What lines are joined in, for one write after the other: new memory for each would be collected soon. */
  #joined = Buffer.alloc(0);

  constructor(
    private readonly target: ByteTarget,
    private readonly delays: readonly number[] = RETRY_DELAYS,
    isTorn = false,
  ) {
    this.#isTorn = isTorn;
  }

  /** Writes a line for each record. One call is under way at a time. */
  async write(records: readonly StoredRecord[]): Promise<Written> {
    const torn = this.#isTorn ? 1 : 0;
    const { at, error } = await this.#append(this.#join(records, torn));
    this.#isFailing = error !== undefined;
    if (error === undefined) {
      this.#isTorn = false;
      return { written: records.length, error };
    }
    return { written: await this.#keepWhole(records, at, torn), error };
  }

  /** The lines of records, after as many line feeds as `torn` says. */
  #join(records: readonly StoredRecord[], torn: number): Buffer {
    const length = records.reduce((sum, record) => sum + lineLength(record), torn);
    if (length > MAX_KEPT) return fill(Buffer.allocUnsafeSlow(length), records, torn);
    if (length > this.#joined.length) this.#joined = Buffer.allocUnsafeSlow(2 ** Math.ceil(Math.log2(length)));
    return fill(this.#joined.subarray(0, length), records, torn);
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
  async #keepWhole(records: readonly StoredRecord[], at: number, torn: number): Promise<number> {
    let whole = 0;
    let end = torn;
    for (const record of records) {
      const next = end + lineLength(record);
      if (next > at) break;
      end = next;
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

/** Length in bytes: what a server under full load writes at once. A single entry can be longer. */
const MAX_KEPT = 16 * 1024 * 1024;

const LINE_FEED = 0x0a;

function fill(bytes: Buffer, records: readonly StoredRecord[], torn: number): Buffer {
  bytes.fill(LINE_FEED, 0, torn);
  records.reduce((end, record) => writeLine(record, bytes, end), torn);
  return bytes;
}

/** Whole lines, if there are any of that length. */
function pieceEnd(bytes: Buffer, at: number, size: number): number {
  if (bytes.length - at <= size) return bytes.length;
  const last = bytes.lastIndexOf(LINE_FEED, at + size - 1);
  if (last >= at) return last + 1;
  const next = bytes.indexOf(LINE_FEED, at);
  return next < 0 ? bytes.length : next + 1;
}
