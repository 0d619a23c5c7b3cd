import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { Source } from '../diagnostics/source.js';
import { linkTarget } from './link-target.js';
import { isHidden, isPolicyFile, isSkippedDirectory, SCHEMAS_DIRECTORY } from './names.js';
import { sourceText } from './source-text.js';

/**
 * The contents of a policy directory, sorted by path, so that the result does not depend on the order of the file
 * system.
 */
export interface Loaded {
  readonly sources: readonly Source[];
  /** JSON schemas: contents by path below `_schemas`, with `/`. */
  readonly schemas: ReadonlyMap<string, string>;
}

/** The maximum size of a policy file or schema in bytes. */
export const MAX_FILE_SIZE = 4 * 1024 * 1024;

/** The maximum total size of all schemas in bytes, and their maximum number. */
const MAX_SCHEMAS_SIZE = 64 * 1024 * 1024;
const MAX_SCHEMA_FILES = 10_000;

/**
 * Reads the policies and schemas of a directory (docs/spec/policy-language.md#which-files-are-policies). Only
 * `compiler/load` reads from disk.
 *
 * @param earlier the sources from an earlier load of the directory: an unchanged file keeps its Source object, so that
 *   results cached for it remain valid.
 * @throws Error if the directory does not exist or something in it cannot be read.
 */
export function load(directory: string, report: Diagnostics, earlier: readonly Source[] = []): Loaded {
  const root = resolveRoot(directory);
  const found = walk(root, report);
  const known = new Map(earlier.map((source) => [source.path, source]));
  const sources: Source[] = [];
  for (const path of found.policies.toSorted()) {
    const written = readPolicy(root, path, report, directory);
    if (written === undefined) continue;
    const text = sourceText(written);
    const before = known.get(path);
    sources.push(before?.text === text ? before : new Source(path, text));
  }
  return { sources, schemas: readSchemas(root, found.schemas.toSorted(), report, directory) };
}

/** A schema that no policy references may have any content, so schemas are not validated here. */
function readSchemas(
  root: string,
  paths: readonly string[],
  report: Diagnostics,
  directory: string,
): ReadonlyMap<string, string> {
  const schemas = new Map<string, string>();
  let size = 0;
  for (const path of paths) {
    const bytes = readBounded(root, path, report, directory);
    if (bytes === undefined) continue;
    size += bytes.length;
    if (size > MAX_SCHEMAS_SIZE || schemas.size >= MAX_SCHEMA_FILES) {
      report.add('file/too-many-schemas', new Source(path, ''), { files: MAX_SCHEMA_FILES, bytes: MAX_SCHEMAS_SIZE });
      break;
    }
    schemas.set(path.slice('_schemas/'.length), sourceText(new TextDecoder().decode(bytes)));
  }
  return schemas;
}

/** What to do in a folder without policies, where newcomers try commands first. */
const NAME_FOLDER = 'name the folder of the policies, or create one with `authzc init`';

function resolveRoot(directory: string): string {
  const isDirectory = statSync(directory, { throwIfNoEntry: false })?.isDirectory();
  if (isDirectory === undefined) throw new Error(`policy directory \`${directory}\` does not exist; ${NAME_FOLDER}`);
  if (!isDirectory) throw new Error(`\`${directory}\` is not a directory; name the folder of the policies`);
  return realpathSync(directory);
}

/** The text of a policy file below a folder; undefined if it is too large or not UTF-8, which is reported. */
export function readPolicy(root: string, path: string, report: Diagnostics, directory: string): string | undefined {
  const bytes = readBounded(root, path, report, directory);
  return bytes === undefined ? undefined : decodePolicy(bytes, path, report);
}

/** The text of a policy; undefined if it is too large or not UTF-8, which is reported. */
export function decodePolicy(bytes: Buffer, path: string, report: Diagnostics): string | undefined {
  if (bytes.length > MAX_FILE_SIZE) {
    report.add('file/too-large', new Source(path, ''), { limit: MAX_FILE_SIZE });
    return undefined;
  }
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    return decoder.decode(bytes);
  } catch {
    report.add('file/invalid-utf8', new Source(path, ''), {});
    return undefined;
  }
}

/**
 * Returns the content of a file; undefined if it is too large, which is reported. Checks the size first, so that a huge
 * file is not read.
 */
function readBounded(root: string, path: string, report: Diagnostics, directory: string): Buffer | undefined {
  try {
    const file = join(root, path);
    const bytes = statSync(file).size > MAX_FILE_SIZE ? undefined : readFileSync(file);
    if (bytes !== undefined && bytes.length <= MAX_FILE_SIZE) return bytes;
  } catch (error) {
    throw new Error(
      `cannot read \`${join(directory, path)}\`: ${error instanceof Error ? error.message : String(error)}`,
      { cause: error },
    );
  }
  report.add('file/too-large', new Source(path, ''), { limit: MAX_FILE_SIZE });
  return undefined;
}

/** Paths of files below a policy directory, relative to it, with `/`; in no particular order. */
export interface Found {
  readonly policies: readonly string[];
  readonly schemas: readonly string[];
}

/**
 * Finds the policy and schema files of a directory by their names
 * (docs/spec/policy-language.md#which-files-are-policies). `root` is its real path.
 */
function walk(root: string, report: Diagnostics): Found {
  const policies: string[] = [];
  const schemas: string[] = [];
  const visited = new Set<string>();
  const plain: Directory[] = [{ path: '', holdsSchemas: false }];
  const linked: Directory[] = [];
  for (let directory = next(plain, linked); directory !== undefined; directory = next(plain, linked)) {
    if (!isNew(directory, root, visited)) continue;
    for (const entry of readdirSync(join(root, directory.path), { withFileTypes: true })) {
      if (isHidden(entry.name)) continue;
      const path = directory.path === '' ? entry.name : `${directory.path}/${entry.name}`;
      const type = findType(entry, path, root, report);
      if (type === 'directory') {
        const inner = enter(directory, entry.name, path, report);
        if (inner !== undefined) (entry.isSymbolicLink() ? linked : plain).push(inner);
      } else if (type === 'file') {
        if (directory.holdsSchemas) schemas.push(path);
        else if (isPolicyFile(entry.name)) policies.push(path);
      }
    }
  }
  return { policies, schemas };
}

interface Directory {
  readonly path: string;
  readonly holdsSchemas: boolean;
}

// A directory is read once, no matter how many links lead to it, under its own path if the walk includes that.
function next(plain: Directory[], linked: Directory[]): Directory | undefined {
  if (plain.length > 0) return plain.pop();
  linked.sort((a, b) => (a.path < b.path ? 1 : -1));
  return linked.pop();
}

function isNew(directory: Directory, root: string, visited: Set<string>): boolean {
  const identity = `${directory.holdsSchemas ? 'schemas' : 'policies'} ${realpathSync(join(root, directory.path))}`;
  if (visited.has(identity)) return false;
  visited.add(identity);
  return true;
}

function enter(parent: Directory, name: string, path: string, report: Diagnostics): Directory | undefined {
  if (parent.holdsSchemas) return { path, holdsSchemas: true };
  if (name === SCHEMAS_DIRECTORY) {
    if (parent.path === '') return { path, holdsSchemas: true };
    report.add('file/misplaced-schemas', new Source(path, ''), {});
    return undefined;
  }
  return isSkippedDirectory(name) ? undefined : { path, holdsSchemas: false };
}

function findType(entry: Dirent, path: string, root: string, report: Diagnostics): 'file' | 'directory' | 'other' {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  const target = entry.isSymbolicLink() ? linkTarget(path, root) : 'special';
  // A file without the name of a policy would not have been read anyway.
  const isExpected = isPolicyFile(entry.name);
  switch (target) {
    case 'file':
    case 'directory':
      return target;
    case 'special':
      if (isExpected) report.add('file/not-regular', new Source(path, ''), {});
      return 'other';
    case 'outside file':
    case 'nowhere':
      if (isExpected)
        report.add(target === 'nowhere' ? 'file/broken-link' : 'file/outside-link', new Source(path, ''), {});
      return 'other';
    case 'outside directory':
      if (!isSkippedDirectory(entry.name)) report.add('file/outside-link', new Source(path, ''), {});
      return 'other';
  }
}
