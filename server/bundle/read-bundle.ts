import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import {
  type Archive,
  ArchiveError,
  isArchive,
  type Manifest,
  readArchive,
  requireEngine,
} from '../../archive/index.js';
import { ConfigError } from '../config/config-error.js';

/** A bundle as it was read: later deciders are created from this text, whatever happens to where it came from. */
export interface BundleText {
  /** The path of the file, or the URL without credentials. For messages and stack traces. */
  readonly name: string;
  readonly text: string;
  /**
   * SHA-256, hexadecimal: of the manifest if the bundle came in an archive, which covers its files; else of the text.
   * Different files may contain the same policies; those with the same digest are equal.
   */
  readonly digest: string;
  /** What the archive says about the bundle; undefined if it did not come in one. */
  readonly manifest?: Manifest | undefined;
  /** The ids of the trusted keys that signed the manifest. */
  readonly keys?: readonly string[] | undefined;
}

/** Decides which bundles may run. */
export interface BundleTrust {
  /** Returns the ids of the trusted keys that signed an archive. Rejects with an ArchiveError if it must not run. */
  readonly verify: (archive: Archive) => Promise<readonly string[]>;
}

/**
 * Reads a bundle: an archive, or the text of a module. With `trust`, only archives that it verifies are read, and no byte
 * of their code before that. Rejects with an ArchiveError, whose message does not name the bundle.
 *
 * @param name the path of the file, or the URL without credentials.
 */
export async function readBundle(bytes: Uint8Array, name: string, trust?: BundleTrust): Promise<BundleText> {
  if (!isArchive(bytes)) return readModule(bytes, name, trust);
  const archive = readArchive(bytes);
  const { manifest, digest } = archive;
  const keys = await trust?.verify(archive);
  requireEngine(manifest);
  const js = archive.file('policies.js');
  return { name, text: js?.toString('utf8') ?? '', digest, manifest, keys };
}

function readModule(bytes: Uint8Array, name: string, trust: BundleTrust | undefined): BundleText {
  if (trust !== undefined)
    throw new ArchiveError('unsigned', 'is not a signed archive; create one with `authzc bundle`');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return { name, text, digest: createHash('sha256').update(bytes).digest('hex') };
}

/** Reads a bundle file. Rejects with a ConfigError that names it. */
export async function readBundleFile(file: string, trust?: BundleTrust): Promise<BundleText> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new ConfigError(
      error.code === 'ENOENT'
        ? 'bundle not found; create it with `authzc compile --bundle`'
        : `cannot be read: ${error.code ?? error.message}`,
      file,
    );
  });
  return readBundle(bytes, file, trust);
}
