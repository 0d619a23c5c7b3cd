import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Source } from '../diagnostics/source.js';
import { MAX_FILE_SIZE } from './load.js';
import { linkTarget } from './link-target.js';
import { isHidden, isSkippedDirectory, isSuiteFile } from './names.js';

/** A file of a test suite: its content, or why it could not be read. */
export type TestFile = { readonly source: Source } | { readonly path: string; readonly unreadable: string };

/**
 * The files of a test suite in a folder: the suite itself, and the existing fixture files in `testdata` next to it.
 */
export interface SuiteFiles {
  /** Relative to the folder of the tests, with `/`. */
  readonly path: string;
  readonly file: TestFile;
  /** The folder of the fixtures, also relative and with `/`. */
  readonly fixtureFolder: string;
  readonly principals: TestFile | undefined;
  readonly resources: TestFile | undefined;
  readonly auxData: TestFile | undefined;
}

/**
 * Returns the test suites of a folder (docs/spec/server.md#test-files), sorted by path. Walks the whole folder,
 * including hidden folders and `_schemas`, but not the folders of fixtures. Follows symbolic links only to fixtures
 * inside of the folder.
 *
 * @throws Error if the directory does not exist or something in it cannot be read.
 */
export function loadSuites(directory: string): readonly SuiteFiles[] {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Error(`\`${directory}\` is not a directory of tests`);
  const root = realpathSync(directory);
  return pathsOfSuites(root).map((path) =>
    suiteAt(
      path,
      (folder) => fixtureNames(root, folder),
      (file) => readTestFile(root, file),
    ),
  );
}

/** The test suites among texts: the same for files that are in memory. */
export function suitesAmong(sources: readonly Source[]): readonly SuiteFiles[] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const namesIn = (folder: string): readonly string[] =>
    [...byPath.keys()]
      .filter((path) => posix.dirname(path) === folder)
      .map((path) => posix.basename(path))
      .sort();
  return [...byPath.keys()]
    .filter(isSuitePath)
    .sort()
    .map((path) => suiteAt(path, namesIn, (file) => ({ source: byPath.get(file) as Source })));
}

function isSuitePath(path: string): boolean {
  const [name = '', ...folders] = path.split('/').reverse();
  return isSuiteFile(name) && !folders.some(isSkippedDirectory);
}

/**
 * A suite, and the fixtures beside it.
 *
 * @param namesIn the sorted names of the files in a folder.
 */
function suiteAt(
  path: string,
  namesIn: (folder: string) => readonly string[],
  read: (path: string) => TestFile,
): SuiteFiles {
  const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : '';
  const fixtureFolder = `${folder}testdata`;
  const names = namesIn(fixtureFolder);
  const fixture = (...stems: readonly string[]): TestFile | undefined => {
    const name = stems
      .map((stem) =>
        names.find((other) => FIXTURE_EXTENSION.test(other) && other.replace(FIXTURE_EXTENSION, '') === stem),
      )
      .find((found) => found !== undefined);
    return name === undefined ? undefined : read(`${fixtureFolder}/${name}`);
  };
  return {
    path,
    file: read(path),
    fixtureFolder,
    principals: fixture('principals'),
    resources: fixture('resources'),
    auxData: fixture('auxdata', 'auxData', 'aux_data'),
  };
}

const FIXTURE_EXTENSION = /\.(?:yaml|yml|json)$/i;

function pathsOfSuites(root: string): readonly string[] {
  const found: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of entriesOf(root, folder)) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory() && !isSkippedDirectory(entry.name)) folders.push(path);
      else if (!entry.isDirectory() && !entry.isSymbolicLink() && isSuiteFile(entry.name)) found.push(path);
    }
  }
  return found.sort();
}

/**
 * Hidden folders that this user cannot read, such as those of version control or of the system, contain no policy
 * tests.
 */
function entriesOf(root: string, folder: string): readonly Dirent[] {
  try {
    return readdirSync(join(root, folder), { withFileTypes: true });
  } catch (error) {
    if (folder.split('/').some(isHidden)) return [];
    throw error;
  }
}

/** Returns sorted names; empty if the folder does not exist. */
function fixtureNames(root: string, folder: string): readonly string[] {
  if (statSync(join(root, folder), { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  if (linkTarget(folder, root) !== 'directory') return [];
  return readdirSync(join(root, folder))
    .filter((name) => linkTarget(`${folder}/${name}`, root) === 'file')
    .sort();
}

function readTestFile(root: string, path: string): TestFile {
  const stats = statSync(join(root, path));
  if (!stats.isFile()) return { path, unreadable: 'not a regular file' };
  const bytes = stats.size > MAX_FILE_SIZE ? undefined : readFileSync(join(root, path));
  if (bytes === undefined || bytes.length > MAX_FILE_SIZE)
    return { path, unreadable: `document is larger than ${MAX_FILE_SIZE} bytes` };
  try {
    return { source: new Source(path, new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)) };
  } catch {
    return { path, unreadable: 'invalid document: contents are not valid UTF-8' };
  }
}
