import { randomBytes } from 'node:crypto';
import { mkdirSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { Bytes } from '../../../compiler/recompile/packed-files.js';

/**
 * A file for what does not fit into memory. Its name is removed at once: nobody else can open it, and the file ends with
 * the process, however that ends. What cannot be written, because the disk is full or read-only, stays in memory.
 */
export class ScratchFile {
  private readonly file: number | undefined;
  private size = 0;

  /** @param folder is created if it does not exist. */
  constructor(folder: string) {
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      const path = join(folder, `.${randomBytes(8).toString('hex')}.tmp`);
      this.file = openSync(path, 'wx+', 0o600);
      unlinkSync(path);
    } catch {
      // Everything stays in memory.
    }
  }

  /** Takes bytes, which can then be read from the file. */
  append(bytes: Uint8Array): Bytes {
    if (this.file === undefined) return bytes;
    const range = new FileRange(this.file, this.size, bytes.length);
    try {
      for (let written = 0; written < bytes.length; )
        written += writeSync(this.file, bytes, written, bytes.length - written, this.size + written);
    } catch {
      return bytes;
    }
    this.size += bytes.length;
    return range;
  }
}

/** A part of a file. */
class FileRange implements Bytes {
  constructor(
    private readonly file: number,
    private readonly start: number,
    readonly length: number,
  ) {}

  /** @throws Error if the file cannot be read any more. */
  subarray(start: number, end: number): Uint8Array {
    const bytes = new Uint8Array(end - start);
    for (let read = 0; read < bytes.length; ) {
      const count = readSync(this.file, bytes, read, bytes.length - read, this.start + start + read);
      if (count === 0) throw new Error('the temporary file of the compiler was cut');
      read += count;
    }
    return bytes;
  }
}
