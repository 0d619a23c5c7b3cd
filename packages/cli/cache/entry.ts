import { createHash } from 'node:crypto';
import type { Diagnostic } from '../../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../../compiler/diagnostics/source.js';
import type { TypeFacts } from '../../../compiler/emit/permissions/facts.js';
import type { EmittedFile } from '../../../compiler/ir/emitted-file.js';
import { type PackedFiles, packedFiles, unpackedFiles } from '../../../compiler/recompile/packed-files.js';
import { withSources } from '../../../compiler/recompile/packed-part.js';
import type { DocumentRecord, Snapshot } from '../../../compiler/recompile/snapshot.js';

/** What the cache holds for one folder of policies. */
export interface CacheEntry {
  readonly snapshot: Snapshot;
  /** The hashes of the bundle and its map as they were written; undefined if the compilation wrote none. */
  readonly bundle: WrittenBundle | undefined;
}

/** A bundle that was written, by the hashes of its files. */
export interface WrittenBundle {
  /** The hash of all that the bundle depends on besides the snapshot. */
  readonly settings: string;
  readonly js: string;
  readonly map: string;
}

/** The data of an entry before the buffers of its files: JSON. */
interface Header {
  readonly key: string;
  readonly settings: string;
  readonly sources: readonly (readonly [path: string, hash: string])[];
  readonly documents: readonly (readonly [path: string, record: DocumentRecord])[];
  /** The last file has the types for callers. */
  readonly files: PackedFiles['files'];
  /** The bytes of the numbers of the files. */
  readonly numbers: number;
  readonly typeFacts: TypeFacts;
  readonly hashed: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  readonly policies: number;
  readonly bundle: WrittenBundle | undefined;
}

const MAGIC = 'authzc-cache 4';

/**
 * An entry as bytes: a line with a checksum of the rest, a line of JSON, then the buffers of the files. Undefined if it
 * refers to files other than the sources, as notes about JSON schemas do.
 *
 * @param key identifies the compiler, the folder and the options.
 */
export function encodeEntry(
  key: string,
  { snapshot, bundle }: CacheEntry,
  sources: readonly Source[],
): readonly Uint8Array[] | undefined {
  const indexes = new Map(sources.map((source, index) => [source, index]));
  let isComplete = true;
  const findIndex = (source: Source): number => {
    const index = indexes.get(source);
    if (index === undefined) isComplete = false;
    return index ?? -1;
  };
  const { files, texts, numbers } = packedFiles([...snapshot.files, snapshot.types], findIndex);
  const header: Header = {
    key,
    settings: snapshot.settings,
    sources: [...snapshot.sources],
    documents: [...snapshot.documents],
    files,
    numbers: numbers.length,
    typeFacts: snapshot.typeFacts,
    hashed: snapshot.hashed,
    diagnostics: snapshot.diagnostics,
    policies: snapshot.policies,
    bundle,
  };
  const json = JSON.stringify(header, (_, value: unknown) => (value instanceof Source ? findIndex(value) : value));
  if (!isComplete) return undefined;
  const body = [Buffer.from(`${json}\n`), numbers, texts];
  return [Buffer.from(`${MAGIC} ${checksum(body)}\n`), ...body];
}

/**
 * The entry in bytes; undefined if they are damaged, of another version or about something else. Its files read the
 * bytes when they are asked.
 *
 * @param sources the current files: the places of the entry are in those whose text is the same.
 */
export function decodeEntry(bytes: Buffer, key: string, sources: readonly Source[]): CacheEntry | undefined {
  const start = bytes.indexOf('\n') + 1;
  const end = bytes.indexOf('\n', start);
  if (start === 0 || end === -1) return undefined;
  if (bytes.toString('latin1', 0, start) !== `${MAGIC} ${checksum([bytes.subarray(start)])}\n`) return undefined;
  const header = JSON.parse(bytes.toString('utf8', start, end)) as Header;
  if (header.key !== key) return undefined;
  const current = new Map(sources.map((source) => [source.path, source]));
  // A file that is gone or differs has no places that are used.
  const known = header.sources.map(([path]) => current.get(path) ?? new Source(path, ''));
  const texts = end + 1 + header.numbers;
  const buffers = { numbers: bytes.subarray(end + 1, texts), texts: bytes.subarray(texts) };
  const files = unpackedFiles({ files: header.files, ...buffers }, known);
  return {
    snapshot: {
      settings: header.settings,
      sources: new Map(header.sources),
      documents: new Map(header.documents),
      files: files.slice(0, -1),
      types: files.at(-1) as EmittedFile,
      typeFacts: header.typeFacts,
      hashed: header.hashed,
      diagnostics: withSources(header.diagnostics, known) as readonly Diagnostic[],
      policies: header.policies,
    },
    bundle: header.bundle,
  };
}

function checksum(parts: readonly Uint8Array[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return hash.digest('hex');
}
