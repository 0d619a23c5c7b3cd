import { readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { Source } from '../diagnostics/source.js';
import { walk } from './walk.js';

/** What a policy directory holds. Sorted by path, so that the order of the file system decides nothing. */
export interface Loaded {
  readonly sources: readonly Source[];
  /** JSON schemas: path below `_schemas`, with `/`, to text. */
  readonly schemas: ReadonlyMap<string, string>;
}

/** A policy file has at most so many bytes. */
export const MAX_FILE_SIZE = 4 * 1024 * 1024;

/**
 * Reads the policies and schemas of a directory (policy-language.md 2.1): the only code of the compiler that reads the disk.
 *
 * @param earlier what was read of it before: a file whose text is the same stays the same Source, so that what was worked out
 *   about it still holds.
 * @throws Error when there is no such directory, or something in it cannot be read.
 */
export function load(directory: string, report: Diagnostics, earlier: readonly Source[] = []): Loaded {
  const root = rootOf(directory);
  const found = walk(root, report);
  const known = new Map(earlier.map((source) => [source.path, source]));
  const sources: Source[] = [];
  for (const path of found.policies.toSorted()) {
    const text = readPolicy(root, path, report);
    if (text === undefined) continue;
    const before = known.get(path);
    sources.push(before?.text === text ? before : new Source(path, text));
  }
  const schemas = new Map<string, string>();
  // A schema that no policy names may be anything, so its text is not judged here.
  for (const path of found.schemas.toSorted()) schemas.set(path.slice('_schemas/'.length), readBytes(root, path).toString('utf8'));
  return { sources, schemas };
}

function rootOf(directory: string): string {
  const isDirectory = statSync(directory, { throwIfNoEntry: false })?.isDirectory();
  if (isDirectory === undefined) throw new Error(`policy directory \`${directory}\` does not exist`);
  if (!isDirectory) throw new Error(`\`${directory}\` is not a directory`);
  return realpathSync(directory);
}

function readPolicy(root: string, path: string, report: Diagnostics): string | undefined {
  const bytes = readBytes(root, path);
  const source = new Source(path, '');
  if (bytes.length > MAX_FILE_SIZE) {
    report.add('file/too-large', source, { limit: MAX_FILE_SIZE });
    return undefined;
  }
  // A byte-order mark is not stripped (2.3).
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch {
    report.add('file/invalid-utf8', source, {});
    return undefined;
  }
}

function readBytes(root: string, path: string): Buffer {
  try {
    return readFileSync(join(root, path));
  } catch (error) {
    throw new Error(`cannot read \`${path}\`: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
