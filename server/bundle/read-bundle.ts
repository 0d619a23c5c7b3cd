import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { url as inspectorUrl } from 'node:inspector';
import {
  type Archive,
  ArchiveError,
  isArchive,
  readArchive,
  requireEngine,
  requireTime,
  type Verified,
} from '../../packages/bundle/index.js';
import { ConfigError } from '../config/config-error.js';
import type { Provenance } from '../service/bundle.js';
import { explainReadError } from '../read-error.js';

/** A bundle as it was read: later deciders are created from this text, whatever happens to where it came from. */
export interface BundleText extends Provenance {
  /** The path of the file, or the URL without credentials. For messages and stack traces. */
  readonly name: string;
  readonly text: string;
}

/** Decides which archives may run. */
export interface BundleTrust {
  /** Rejects with an ArchiveError if an archive must not run. */
  readonly verify: (archive: Archive) => Promise<Verified>;
  /** A bundle is being served: from now on, older ones are refused. Rejects if that cannot be remembered on disk. */
  readonly accepted: (bundle: Provenance) => Promise<void>;
}

/** How far the clock of a builder may differ if no trust says so, in milliseconds. */
export const CLOCK_SKEW = 60_000;

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
  const verified = await trust?.verify(archive);
  if (verified === undefined) requireTime(manifest, Date.now(), CLOCK_SKEW);
  requireEngine(manifest);
  return { name, text: readText(archive), digest, manifest, verified };
}

function readModule(bytes: Uint8Array, name: string, trust: BundleTrust | undefined): BundleText {
  if (trust !== undefined)
    throw new ArchiveError('unsigned', 'is not a signed archive; create one with `authzc bundle`');
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
  return { name, text, digest: createHash('sha256').update(bytes).digest('hex') };
}

/** The bundle. A process that is debugged gets the source map with it, because no file has that. */
function readText(archive: Archive): string {
  const text = archive.file('policies.js')?.toString('utf8') ?? '';
  // Always read: it must be the file of the manifest.
  const map = archive.file('policies.js.map');
  if (!process.sourceMapsEnabled && inspectorUrl() === undefined) return text;
  return map === undefined
    ? text
    : text.replace(SOURCE_MAP, `//# sourceMappingURL=data:application/json;base64,${map.toString('base64')}\n`);
}

const SOURCE_MAP = /\/\/# sourceMappingURL=\S+\s*$/;

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
