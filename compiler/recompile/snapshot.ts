import { createHash } from 'node:crypto';
import type { CompileOptions } from '../compile.js';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import type { Source } from '../diagnostics/source.js';
import type { TypeFacts } from '../emit/permissions/facts.js';
import type { EmittedFile } from '../ir/emitted-file.js';
import type { Policy } from '../ast/policy.js';

/** A compilation that was not refused, as data from which the next one can start. */
export interface Snapshot {
  /** A hash of the options and schemas. */
  readonly settings: string;
  /** The hashes of the texts of all files, by path, in path order. */
  readonly sources: ReadonlyMap<string, string>;
  /** The enabled documents, by path. */
  readonly documents: ReadonlyMap<string, DocumentRecord>;
  /** Files without the types, sorted by path. */
  readonly files: readonly EmittedFile[];
  readonly types: EmittedFile;
  /** What the types for callers are made from. */
  readonly typeFacts: TypeFacts;
  /** The paths of the modules that the hash of the bundle covers, in its order. */
  readonly hashed: readonly string[];
  readonly diagnostics: readonly Diagnostic[];
  /** The number of modules. */
  readonly policies: number;
}

/** What is known about a document without its tree: enough to tell which files a change of it can affect. */
export interface DocumentRecord {
  readonly key: string;
  readonly kind: Policy['kind'];
  /** The keys of the documents that it imports. */
  readonly imports: readonly string[];
  /** A hash of all that other documents, and rules for the whole set, read of it. */
  readonly header: string;
  /** A hash of what statements of invariants, and roles of tenants, may name. */
  readonly names: string;
  /** A hash of all that the shared files read of its module, besides the types for callers. */
  readonly facts: string;
  /** The functions that its filters call, of which `index.ts` has those of all documents. */
  readonly functions: readonly string[];
  /** The path of its module below the output folder, without extension; empty if it has none. */
  readonly stem: string;
  /** The number of its rules, for the summary. */
  readonly rules: number;
}

/** A hash of all that a compilation depends on besides its policies. */
export function serializeSettings({
  schemaTexts = new Map(),
  strictTypes = false,
  vocabulary = {},
  checksOnly = false,
}: CompileOptions): string {
  return digest(JSON.stringify([strictTypes, vocabulary, checksOnly, [...schemaTexts]]));
}

/** The hashes of files, by path. */
export function hashSources(sources: readonly Source[]): ReadonlyMap<string, string> {
  return new Map(sources.map(({ path, text }) => [path, digest(text)]));
}

/** Whether a compilation of these sources would have the result that the snapshot holds. */
export function isCurrent(snapshot: Snapshot, sources: readonly Source[], options: CompileOptions): boolean {
  return (
    snapshot.settings === serializeSettings(options) &&
    snapshot.sources.size === sources.length &&
    sources.every(({ path, text }) => snapshot.sources.get(path) === digest(text))
  );
}

/** A hash of a text, as hexadecimal digits. */
export function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
