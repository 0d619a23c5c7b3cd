import { type FileHandle, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, extname, join } from 'node:path';
import type { LogRotation } from '../../config/audit-config.js';
import { ConfigError } from '../../config/config-error.js';
import type { OnAuditProblem, Written } from '../backend.js';
import type { StoredRecord } from '../record.js';
import { lineLength } from './entry-line.js';
import { type ByteTarget, type LineTarget, LineWriter } from './line-writer.js';

const MEBI = 1024 * 1024;
const PIPE_PIECE = 4096;

export interface FileTargetOptions {
  readonly rotation: LogRotation | undefined;
  readonly onProblem: OnAuditProblem;
  /** Pauses between attempts, in milliseconds. */
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
    this.#writer = new LineWriter(this.#bytes(), options.delays, file.isTorn);
  }

  async write(records: readonly StoredRecord[]): Promise<Written> {
    await this.#reopenIfMoved();
    let written = 0;
    while (written < records.length) {
      const part = records.slice(written, written + (await this.#room(records, written)));
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
        // Another process appends to the file too: truncating could remove its lines.
        if (!this.file.isRegular || (await this.file.handle.stat()).size !== this.file.size) return false;
        this.file.size -= count;
        await this.file.handle.truncate(this.file.size);
        return true;
      },
      pieceSize: this.file.isRegular ? Number.POSITIVE_INFINITY : PIPE_PIECE,
    };
  }

  /** How many of the records from `start` on the file still takes: one at least. */
  async #room(records: readonly StoredRecord[], start: number): Promise<number> {
    if (this.#maxSize === Number.POSITIVE_INFINITY) return records.length;
    const lengthAt = (index: number): number => lineLength(records[index] as StoredRecord);
    if (this.file.size > 0 && this.file.size + lengthAt(start) > this.#maxSize) await this.#rotate();
    let count = 0;
    for (let size = this.file.size; start + count < records.length; count++) {
      size += lengthAt(start + count);
      if (count > 0 && size > this.#maxSize) break;
    }
    return count;
  }

  /** If rotation fails, the file keeps growing: entries matter more than the limit. */
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
      const size = await sizeAt(this.path, this.file);
      if (size === undefined) await this.#reopen();
      // Another process may have truncated it.
      else this.file.size = size;
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

const DAY = 24 * 3_600_000;

/**
 * Moves a full log aside: `audit.log` becomes `audit-2024-05-06T07-08-09.123.log`; a name that is taken gets a number.
 */
async function moveAside(path: string, now: number): Promise<void> {
  const { prefix, extension } = nameParts(path);
  const stamp = new Date(now).toISOString().slice(0, -1).replaceAll(':', '-');
  const folder = dirname(path);
  for (let number = 0; ; number++) {
    const target = join(folder, `${prefix}${stamp}${number === 0 ? '' : `.${number}`}${extension}`);
    if (await exists(target)) continue;
    await rename(path, target);
    return;
  }
}

/** Deletes logs that were moved aside and are too old or too many. Other files are never touched. */
export async function deleteExpired(
  path: string,
  { maxFileAgeDays, maxFileCount }: LogRotation,
  now: number,
): Promise<void> {
  if (maxFileAgeDays === 0 && maxFileCount === 0) return;
  const files = await rotatedFiles(path);
  const expired = files.filter(({ time }, index) => {
    const isOld = maxFileAgeDays > 0 && now - time > maxFileAgeDays * DAY;
    return isOld || (maxFileCount > 0 && index >= maxFileCount);
  });
  for (const { name } of expired) await unlink(join(dirname(path), name));
}

interface RotatedFile {
  readonly name: string;
  /** When it was moved aside, in milliseconds since 1970. */
  readonly time: number;
  readonly number: number;
}

/** Newest first. */
async function rotatedFiles(path: string): Promise<readonly RotatedFile[]> {
  const { prefix, extension } = nameParts(path);
  const found: RotatedFile[] = [];
  for (const name of await readdir(dirname(path))) {
    if (!name.startsWith(prefix) || !name.endsWith(extension)) continue;
    const match = STAMP.exec(name.slice(prefix.length, name.length - extension.length));
    if (match === null) continue;
    const time = Date.parse(`${match[1]}T${match[2]}:${match[3]}:${match[4]}Z`);
    if (!Number.isNaN(time)) found.push({ name, time, number: Number(match[5] ?? 0) });
  }
  return found.sort((a, b) => b.time - a.time || b.number - a.number);
}

const STAMP = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d\.\d{3})(?:\.(\d+))?$/;

function nameParts(path: string): { readonly prefix: string; readonly extension: string } {
  const extension = extname(path);
  return { prefix: `${basename(path, extension)}-`, extension };
}

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch {
    return false;
  }
}

/** An open file that audit lines are appended to. */
export interface OpenFile {
  readonly handle: FileHandle;
  /** What tells it from another file at its path. */
  readonly device: number;
  readonly inode: number;
  /** A regular file has a size and can be cut; a pipe, a terminal or a device has not. */
  readonly isRegular: boolean;
  /** Size in bytes. */
  size: number;
  /** Whether a process that wrote to it ended within a line. */
  readonly isTorn: boolean;
}

/** Opens, or makes, the file of a path: readable by its owner alone. */
async function openForAppend(path: string): Promise<OpenFile> {
  const handle = await open(path, 'a', 0o600);
  const info = await handle.stat();
  const isRegular = info.isFile();
  const isTorn = isRegular && info.size > 0 && !(await endsInLineFeed(path, info.size));
  return { handle, device: info.dev, inode: info.ino, isRegular, size: info.size, isTorn };
}

/** A file that cannot be read, only written, counts as whole. */
async function endsInLineFeed(path: string, size: number): Promise<boolean> {
  try {
    return (await readPiece(path, size - 1, 1))[0] === LINE_FEED;
  } catch {
    return true;
  }
}

async function readPiece(path: string, start: number, length: number): Promise<Buffer> {
  const handle = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, start);
    return buffer.subarray(0, bytesRead);
  } finally {
    await handle.close();
  }
}

const LINE_FEED = 0x0a;

/**
 * The last whole line of a log, or of the newest file that was moved aside if it is empty. Undefined: there is none, or
 * it cannot be read.
 */
export async function lastLine(path: string): Promise<string | undefined> {
  try {
    const moved = (await rotatedFiles(path)).map(({ name }) => join(dirname(path), name));
    for (const file of [path, ...moved]) {
      const info = await stat(file);
      if (info.isFile() && info.size > 0) return await readLastLine(file, info.size);
    }
  } catch {
    // A log that can only be written begins a new chain.
  }
  return undefined;
}

async function readLastLine(path: string, size: number): Promise<string | undefined> {
  for (let length = 64 * 1024; ; length *= 4) {
    const start = Math.max(0, size - length);
    const tail = await readPiece(path, start, size - start);
    const end = tail.lastIndexOf(LINE_FEED);
    const before = end <= 0 ? -1 : tail.lastIndexOf(LINE_FEED, end - 1);
    if (end >= 0 && (before >= 0 || start === 0)) return tail.subarray(before + 1, end).toString();
    if (start === 0 || length > MAX_TAIL) return undefined;
  }
}

/** Length in bytes: longer than an entry with its escapes. */
const MAX_TAIL = 128 * MEBI;

/**
 * Opens the file at start: a file that cannot be opened is a ConfigError about `key`
 * (docs/spec/server.md#start-failures).
 */
export async function probeFile(path: string, key: string): Promise<OpenFile> {
  try {
    return await openForAppend(path);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigError(await describeProblem(path, code, message), key);
  }
}

/** The size of an open file; undefined if its path refers to another one: log rotation may have moved it. */
async function sizeAt(path: string, { device, inode }: OpenFile): Promise<number | undefined> {
  try {
    const { dev, ino, size } = await stat(path);
    return dev === device && ino === inode ? size : undefined;
  } catch {
    // Not there any more, or not to be seen: opening it again says why.
    return undefined;
  }
}

async function describeProblem(path: string, code: string | undefined, message: string): Promise<string> {
  if (code === 'ENOENT') return `the folder \`${dirname(path)}\` of the audit file does not exist`;
  if (code === 'EISDIR') return `the audit file \`${path}\` is a folder`;
  return `the audit file \`${path}\` cannot be written: ${message}`;
}
