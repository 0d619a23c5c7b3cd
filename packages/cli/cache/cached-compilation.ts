import { realpathSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { type Diagnostic, Diagnostics } from '../../../compiler/diagnostics/diagnostic.js';
import type { Source } from '../../../compiler/diagnostics/source.js';
import { load } from '../../../compiler/load/index.js';
import { digest, isCurrent, type Snapshot } from '../../../compiler/recompile/snapshot.js';
import { decodeEntry, encodeEntry, type WrittenBundle } from './entry.js';
import { readEntry, writeEntry } from './folder.js';
import { compileInParts } from '../policies/compile-in-parts.js';
import { readVocabulary } from '../policies/vocabulary.js';
import { programHash } from './program.js';

/** How a folder is compiled with a cache. */
export interface CachedOptions {
  readonly strictTypes: boolean;
  readonly checksOnly: boolean;
  /** Only without a cache. */
  readonly explain?: boolean;
  /** Likewise. */
  readonly facts?: boolean;
  /** The folder of the cache; without one everything is compiled. */
  readonly cache: string | undefined;
  readonly onStep?: (step: string) => void;
}

/** A compilation of a folder, which may come from the cache in whole or in part. */
export interface CachedCompilation {
  readonly sources: readonly Source[];
  readonly diagnostics: readonly Diagnostic[];
  /** Undefined if the policies are refused. */
  readonly snapshot: Snapshot | undefined;
  /** The bundle that an earlier run wrote for exactly these policies. */
  readonly written: WrittenBundle | undefined;
  /** Updates the cache. */
  save(written: WrittenBundle | undefined): Promise<void>;
}

/** Loads and compiles a folder of policies. Throws when the folder cannot be read. */
export async function compileCached(directory: string, options: CachedOptions): Promise<CachedCompilation> {
  const report = new Diagnostics();
  const { sources, schemas: schemaTexts } = load(directory, report);
  const compileOptions = { ...options, schemaTexts, vocabulary: readVocabulary() };
  const cache = report.isEmpty ? openCache(directory, options) : undefined;
  const bytes = cache && (await readEntry(cache.folder, cache.name));
  const entry = bytes && cache && decodeEntry(bytes, cache.name, sources);
  if (entry !== undefined && isCurrent(entry.snapshot, sources, compileOptions)) {
    const { snapshot, bundle } = entry;
    const save = async (written: WrittenBundle | undefined): Promise<void> => {
      if (written !== undefined && written !== bundle) await store(cache, { snapshot, bundle: written }, sources);
    };
    return { sources, diagnostics: snapshot.diagnostics, snapshot, written: bundle, save };
  }
  // A run in which nothing changed does not load the compiler.
  const { compile } = await import('../../../compiler/compile.js');
  const { recompile, makeSnapshot } = await import('../../../compiler/recompile/index.js');
  const partial = entry && recompile(sources, entry.snapshot, compileOptions);
  const scratch = options.cache ?? tmpdir();
  const merged = partial ?? (report.isEmpty ? await compileInParts(sources, compileOptions, scratch) : undefined);
  const complete = merged === undefined ? compile(sources, report, compileOptions) : undefined;
  const snapshot = merged ?? (complete && makeSnapshot(sources, complete, compileOptions));
  return {
    sources,
    diagnostics: (snapshot ?? complete)?.diagnostics ?? [],
    snapshot,
    written: undefined,
    save: async (bundle) => {
      if (snapshot !== undefined) await store(cache, { snapshot, bundle }, sources);
    },
  };
}

/** The place of the entry of a folder. */
interface Cache {
  readonly folder: string;
  /** Identifies the compiler, the folder and the options. */
  readonly name: string;
}

function openCache(directory: string, { cache, strictTypes, checksOnly }: CachedOptions): Cache | undefined {
  const program = cache === undefined ? undefined : programHash();
  if (cache === undefined || program === undefined) return undefined;
  return { folder: cache, name: digest(JSON.stringify([program, realpathSync(directory), strictTypes, checksOnly])) };
}

async function store(
  cache: Cache | undefined,
  entry: Parameters<typeof encodeEntry>[1],
  sources: readonly Source[],
): Promise<void> {
  const parts = cache && encoded(cache.name, entry, sources);
  if (cache !== undefined && parts !== undefined) await writeEntry(cache.folder, cache.name, parts);
}

/** Undefined for a set that no string or buffer can hold: it is compiled each time. */
function encoded(...given: Parameters<typeof encodeEntry>): ReturnType<typeof encodeEntry> {
  try {
    return encodeEntry(...given);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
