import { url as inspectorUrl } from 'node:inspector';
import { type Archive, readArchive, requireEngine, requireTime } from '../../packages/bundle/index.js';
import type { BundleText, BundleTrust } from './bundle-text.js';

/** How far the clock of a builder may differ if no trust says so, in milliseconds. */
const CLOCK_SKEW = 60_000;

/**
 * Reads a bundle that is an archive. With `trust`, only one that it verifies is read, and no byte of its code before
 * that. Rejects with an ArchiveError, whose message does not name the bundle.
 */
export async function readBundleArchive(
  bytes: Uint8Array,
  name: string,
  trust: BundleTrust | undefined,
): Promise<BundleText> {
  const archive = readArchive(bytes);
  const { manifest, digest } = archive;
  const verified = await trust?.verify(archive);
  if (verified === undefined) requireTime(manifest, Date.now(), CLOCK_SKEW);
  requireEngine(manifest);
  return { name, text: readText(archive), digest, manifest, verified };
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
