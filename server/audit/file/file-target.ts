import type { LogRotation } from '../../config/audit-config.js';
import type { OnAuditProblem, Written } from '../backend.js';
import type { LineTarget } from './line-target.js';
import { type ByteTarget, LineWriter } from './line-writer.js';
import { isAt, type OpenFile, openForAppend } from './open-target.js';
import { deleteExpired, moveAside } from './rotated-files.js';

const MEBI = 1024 * 1024;
const PIPE_PIECE = 4096;

export interface FileTargetOptions {
  readonly rotation: LogRotation | undefined;
  readonly onProblem: OnAuditProblem;
  /** Between attempts, in milliseconds. */
  readonly delays?: readonly number[];
}

/** A file that audit lines are appended to, and that is moved aside when it is full. */
export class FileTarget implements LineTarget {
  readonly #writer: LineWriter;
  readonly #maxSize: number;

  constructor(
    private readonly path: string,
    private file: OpenFile,
    private readonly options: FileTargetOptions,
  ) {
    this.#maxSize =
      file.isRegular && options.rotation !== undefined
        ? options.rotation.maxFileSizeMB * MEBI
        : Number.POSITIVE_INFINITY;
    this.#writer = new LineWriter(this.#bytes(), options.delays);
  }

  async write(lines: readonly Buffer[]): Promise<Written> {
    await this.#reopenIfMoved();
    let written = 0;
    while (written < lines.length) {
      const part = lines.slice(written, written + (await this.#room(lines, written)));
      const result = await this.#writer.write(part);
      written += result.written;
      if (result.error !== undefined) return { written, error: result.error };
    }
    return { written, error: undefined };
  }

  async close(): Promise<void> {
    await this.file.handle.close();
  }

  #bytes(): ByteTarget {
    return {
      append: async (piece) => {
        const { bytesWritten } = await this.file.handle.write(piece);
        this.file.size += bytesWritten;
        return bytesWritten;
      },
      takeBack: async (count) => {
        // Somebody else appends to it as well: what would be cut off may be theirs.
        if (!this.file.isRegular || (await this.file.handle.stat()).size !== this.file.size) return false;
        this.file.size -= count;
        await this.file.handle.truncate(this.file.size);
        return true;
      },
      pieceSize: this.file.isRegular ? Number.POSITIVE_INFINITY : PIPE_PIECE,
    };
  }

  /** How many of the lines from `start` on the file still takes: one at least. */
  async #room(lines: readonly Buffer[], start: number): Promise<number> {
    if (this.#maxSize === Number.POSITIVE_INFINITY) return lines.length;
    if (this.file.size > 0 && this.file.size + (lines[start] as Buffer).length > this.#maxSize) await this.#rotate();
    let count = 0;
    for (let size = this.file.size; start + count < lines.length; count++) {
      size += (lines[start + count] as Buffer).length;
      if (count > 0 && size > this.#maxSize) break;
    }
    return count;
  }

  /** When it fails, the file goes on growing: an entry more is worth more than the limit. */
  async #rotate(): Promise<void> {
    try {
      await moveAside(this.path, Date.now());
      await this.#reopen();
      await deleteExpired(this.path, this.options.rotation as LogRotation, Date.now());
    } catch (error) {
      this.options.onProblem(
        `the audit file \`${this.path}\` could not be rotated: ${(error as Error).message}`,
        error as Error,
      );
    }
  }

  async #reopenIfMoved(): Promise<void> {
    if (!this.file.isRegular) return;
    try {
      if (!(await isAt(this.path, this.file))) await this.#reopen();
      // Somebody may have cut it.
      else this.file.size = (await this.file.handle.stat()).size;
    } catch (error) {
      this.options.onProblem(
        `the audit file \`${this.path}\` could not be opened again: ${(error as Error).message}`,
        error as Error,
      );
    }
  }

  async #reopen(): Promise<void> {
    const next = await openForAppend(this.path);
    const previous = this.file;
    this.file = next;
    await previous.handle.close();
  }
}
