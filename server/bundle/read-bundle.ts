import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ArchiveError, isArchive } from '../../packages/bundle/index.js';
import { ConfigError } from '../config/config-error.js';
import { explainReadError } from '../read-error.js';
import type { BundleText, BundleTrust } from './bundle-text.js';

export type { BundleText, BundleTrust };

/**
 * Reads a bundle: an archive, or the text of a module. With `trust`, only archives that it verifies are read, and no byte
 * of their code before that. Rejects with an ArchiveError, whose message does not name the bundle.
 *
 * @param name the path of the file, or the URL without credentials.
 */
export async function readBundle(bytes: Uint8Array, name: string, trust?: BundleTrust): Promise<BundleText> {
  if (!isArchive(bytes)) return readModule(bytes, name, trust);
  // What servers of modules do not need is not loaded.
  const { readBundleArchive } = await import('./read-bundle-archive.js');
  return readBundleArchive(bytes, name, trust);
}

function readModule(bytes: Uint8Array, name: string, trust: BundleTrust | undefined): BundleText {
  if (trust !== undefined)
    throw new ArchiveError('unsigned', 'is not a signed archive; create one with `authzc bundle`');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return { name, text, digest: createHash('sha256').update(bytes).digest('hex') };
}

/** Reads a bundle file. Rejects with a ConfigError or an ArchiveError. */
export async function readBundleFile(file: string, trust?: BundleTrust): Promise<BundleText> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(
      error.code === 'ENOENT'
        ? 'bundle not found; create it with `authzc compile`'
        : `cannot be read: ${explainReadError(error)}`,
      file,
    );
  });
  return readBundle(bytes, file, trust);
}
