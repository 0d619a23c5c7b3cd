import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { explainReadError } from '../read-error.js';

/** A bundle on disk, as it was fetched. Nobody has vouched for its content since. */
export interface KeptBundle {
  /** The version by which the origin knows it. */
  readonly version: string;
  readonly bytes: Uint8Array;
  /** When it was written, in milliseconds since 1970. */
  readonly time: number;
}

/** The first line of a file; the bytes of the bundle follow. */
interface Header {
  readonly format: 1;
  readonly source: string;
  readonly version: string;
  /** Hash of the bytes, hexadecimal. */
  readonly sha256: string;
  readonly size: number;
}

/** Limit for the first line, in bytes. */
const LARGEST_HEADER = 16 * 1024;
/** A temporary file that is older than this, in milliseconds, belongs to a process that has ended. */
const ABANDONED = 3_600_000;

/**
 * The last bundle of a source that was served: one file in a folder, which is replaced atomically. Several processes,
 * also with other sources, may share the folder: each file is complete, whoever wrote it. The file has a digest against
 * damage, which is no protection against whoever can write it: `trust` is.
 */
export class LastKnownGood {
  readonly file: string;

  /**
   * @param source what tells sources apart, such as a URL; only its digest is written to the name of the file.
   * @param maxSize of a bundle, in bytes: larger files are not read.
   */
  constructor(
    private readonly folder: string,
    private readonly source: string,
    private readonly maxSize: number,
  ) {
    this.file = join(folder, `${digest(source).slice(0, 32)}.bundle`);
  }

  /**
   * The bundle on disk; undefined if there is none. Rejects with an error that names the file if it cannot be read, is
   * damaged, or is too large.
   */
  async read(): Promise<KeptBundle | undefined> {
    const file = await open(this.file, 'r').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return undefined;
      throw new Error(`\`${this.file}\` cannot be read: ${explainReadError(error)}`);
    });
    if (file === undefined) return undefined;
    try {
      const { size, mtimeMs } = await file.stat();
      if (size > this.maxSize + LARGEST_HEADER) throw new Error(`\`${this.file}\` is larger than a bundle may be`);
      const content = await file.readFile();
      const end = content.subarray(0, LARGEST_HEADER).indexOf(0x0a);
      const header = end < 0 ? undefined : readHeader(content.toString('utf8', 0, end));
      const bytes = content.subarray(end + 1);
      const isWhole =
        header !== undefined &&
        header.source === digest(this.source) &&
        header.size === bytes.length &&
        header.sha256 === digest(bytes);
      if (!isWhole) throw new Error(`\`${this.file}\` is damaged`);
      return { version: header.version, bytes, time: mtimeMs };
    } finally {
      await file.close();
    }
  }

  /** Replaces the bundle on disk. Rejects, and leaves it as it is, if the new one cannot be written. */
  async keep(version: string, bytes: Uint8Array): Promise<void> {
    const header: Header = {
      format: 1,
      source: digest(this.source),
      version,
      sha256: digest(bytes),
      size: bytes.length,
    };
    const temporary = `${this.file}.${process.pid}-${randomUUID()}.tmp`;
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await this.#removeAbandoned();
      const file = await open(temporary, 'wx', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(header)}\n`);
        await file.writeFile(bytes);
        // A file must not be shorter than it says after a power failure.
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(temporary, this.file);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw new Error(
        `\`${this.file}\` cannot be written: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`,
      );
    }
  }

  /** Temporary files of processes that ended while they wrote. */
  async #removeAbandoned(): Promise<void> {
    for (const name of await readdir(this.folder)) {
      if (!/^([0-9a-f]{32}\.bundle|accepted\.json)\.\d+-[0-9a-f-]{36}\.tmp$/.test(name)) continue;
      const path = join(this.folder, name);
      const found = await stat(path).catch(() => undefined);
      if (found !== undefined && Date.now() - found.mtimeMs > ABANDONED) await rm(path, { force: true });
    }
  }
}

function readHeader(line: string): Header | undefined {
  try {
    const header = JSON.parse(line) as Header;
    return header.format === 1 && typeof header.version === 'string' ? header : undefined;
  } catch {
    return undefined;
  }
}

function digest(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}
