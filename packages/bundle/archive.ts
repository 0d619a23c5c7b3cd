import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { deflateSync } from 'fflate';
import { ArchiveError } from './archive-error.js';
import { type FileDigest, type Manifest, MAX_MANIFEST, readManifest, writeManifest } from './manifest.js';
import { inflate, readZip, writeZip, type ZipEntry } from './zip.js';

/** An archive whose structure is sound. Nobody has vouched for its content. */
export interface Archive {
  readonly manifest: Manifest;
  /** The bytes of the manifest: what signatures sign. */
  readonly manifestBytes: Uint8Array;
  /** SHA-256 of the manifest, hexadecimal. Archives with equal digests have equal files. */
  readonly digest: string;
  /** The bytes of `signatures.json`; undefined if the archive is unsigned. */
  readonly signatureBytes: Uint8Array | undefined;
  /**
   * Inflates a file. Throws an ArchiveError if it is not the one that the manifest describes; undefined if there is none.
   */
  readonly file: (name: FileName) => Buffer | undefined;
}

/** The files that a manifest describes. */
export type FileName = 'policies.js' | 'policies.js.map';

/** What an archive is made of. */
export interface ArchiveParts {
  /** Everything that the files do not say. */
  readonly manifest: Omit<Manifest, 'format' | 'files'>;
  /** The bundle: one ES module. */
  readonly js: string;
  /** Its source map. */
  readonly map?: string | undefined;
}

const MANIFEST = 'manifest.json';
const SIGNATURES = 'signatures.json';
/** All entries, in their order. */
const NAMES = [MANIFEST, 'policies.js', 'policies.js.map', SIGNATURES] as const;

/** The largest file of an archive, in bytes. A string of V8 has at most about 512 MiB. */
export const MAX_FILE = 256 * 1024 * 1024;
/** The largest `signatures.json`, in bytes. */
const MAX_SIGNATURES = 64 * 1024;

/**
 * Writes an archive. Equal parts give equal bytes, in every version of Node: the deflate algorithm is fflate's. Throws an
 * ArchiveError if a file is too large.
 */
export function writeArchive({ manifest, js, map }: ArchiveParts): Uint8Array<ArrayBuffer> {
  const contents = new Map<FileName, Buffer>([['policies.js', Buffer.from(js)]]);
  if (map !== undefined) contents.set('policies.js.map', Buffer.from(map));
  const files = Object.fromEntries([...contents].map(([name, content]) => [name, digestContent(content)]));
  for (const [name, content] of contents) {
    if (content.length > MAX_FILE)
      throw new ArchiveError('too_large', `\`${name}\` has ${content.length} bytes; at most ${MAX_FILE} are allowed`);
  }
  const bytes = writeManifest({ ...manifest, format: 1, files });
  if (bytes.length > MAX_MANIFEST)
    throw new ArchiveError('too_large', `the manifest has ${bytes.length} bytes; at most ${MAX_MANIFEST} are allowed`);
  // A manifest that cannot be read again is a mistake of the caller.
  readManifest(bytes);
  return writeZip([
    createEntry(MANIFEST, bytes),
    ...[...contents].map(([name, content]) => createEntry(name, content)),
  ]);
}

/** The same archive with these signatures in place of those that it has. */
export function withSignatures(bytes: Uint8Array, signatures: Uint8Array): Uint8Array<ArrayBuffer> {
  const entries = readZip(bytes, NAMES).filter(({ name }) => name !== SIGNATURES);
  return writeZip([...entries, createEntry(SIGNATURES, signatures)]);
}

/**
 * Reads the structure of an archive, its manifest and its signatures; files are inflated on demand. Throws an
 * ArchiveError.
 */
export function readArchive(bytes: Uint8Array): Archive {
  const entries = new Map(readZip(bytes, NAMES).map((entry) => [entry.name, entry]));
  const manifestEntry = entries.get(MANIFEST);
  if (manifestEntry === undefined) throw new ArchiveError('malformed', `has no \`${MANIFEST}\``);
  const manifestBytes = inflate(manifestEntry, MAX_MANIFEST);
  const manifest = readManifest(manifestBytes);
  const described = Object.keys(manifest.files);
  const present = [...entries.keys()].filter((name) => name !== MANIFEST && name !== SIGNATURES);
  const stray = described.find((name) => !present.includes(name)) ?? present.find((name) => !described.includes(name));
  if (stray !== undefined) {
    const where = present.includes(stray) ? 'not described by the manifest' : 'described by the manifest, but missing';
    throw new ArchiveError('digest_mismatch', `${JSON.stringify(stray.slice(0, 64))} is ${where}`);
  }
  if (!entries.has('policies.js')) throw new ArchiveError('malformed', 'has no `policies.js`');
  const signatureEntry = entries.get(SIGNATURES);
  return {
    manifest,
    manifestBytes,
    digest: digestContent(manifestBytes).sha256,
    signatureBytes: signatureEntry && inflate(signatureEntry, MAX_SIGNATURES),
    file: (name) => {
      const entry = entries.get(name);
      return entry && readContent(entry, manifest.files[name] as FileDigest);
    },
  };
}

function readContent(entry: ZipEntry, described: FileDigest): Buffer {
  if (entry.size === described.size) {
    const content = inflate(entry, MAX_FILE);
    if (digestContent(content).sha256 === described.sha256) return content;
  }
  throw new ArchiveError('digest_mismatch', `\`${entry.name}\` is not the file that the manifest describes`);
}

function createEntry(name: string, content: Uint8Array): ZipEntry {
  return { name, deflated: deflateSync(content, { level: 9 }), crc: crc32(content), size: content.length };
}

function digestContent(content: Uint8Array): FileDigest {
  return { sha256: createHash('sha256').update(content).digest('hex'), size: content.length };
}
