import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from '../config/config-error.js';

/** A bundle as it was read: everything that decides later is made from this text, whatever becomes of the file. */
export interface BundleText {
  readonly file: string;
  readonly text: string;
  /** SHA-256 of the text, hexadecimal: two files of the same policies may differ, two of the same digest do not. */
  readonly digest: string;
}

/** Reads a bundle. Rejects with a ConfigError that names the file. */
export async function readBundleText(file: string): Promise<BundleText> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(
      error.code === 'ENOENT'
        ? 'no such bundle; `authzc compile --bundle` makes one'
        : `cannot be read: ${error.code ?? error.message}`,
      file,
    );
  });
  return { file, text, digest: createHash('sha256').update(text).digest('hex') };
}
