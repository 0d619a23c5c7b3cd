import { write } from 'node:fs';
import { promisify } from 'node:util';
import type { Written } from '../backend.js';
import { type LineTarget, LineWriter } from './line-writer.js';

/** The platform writes this many bytes to a pipe atomically: lines of other processes are not mixed in. */
const PIPE_PIECE = 4096;

const append = promisify(write);

/**
 * stdout or stderr, by its descriptor: the platform's stream would make the whole process wait for a slow reader, and
 * end it when the reader is gone.
 */
export class StreamTarget implements LineTarget {
  readonly #writer: LineWriter;

  constructor(descriptor: 1 | 2, delays?: readonly number[]) {
    const bytes = {
      append: async (piece: Buffer): Promise<number> => (await append(descriptor, piece)).bytesWritten,
      takeBack: async (): Promise<boolean> => false,
      pieceSize: PIPE_PIECE,
    };
    this.#writer = new LineWriter(bytes, delays);
  }

  write(lines: readonly Buffer[]): Promise<Written> {
    return this.#writer.write(lines);
  }

  async close(): Promise<void> {}
}
