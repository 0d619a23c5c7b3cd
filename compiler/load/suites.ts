import { type Dirent, readdirSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Source } from '../diagnostics/source.js';
import { MAX_FILE_SIZE } from './load.js';
import { sourceText } from './source-text.js';
import { linkTarget } from './link-target.js';
import { isHidden, isSkippedDirectory, isSuiteFile } from './names.js';
import { suiteAt, type SuiteFiles, type TestFile } from './suite-files.js';

/**
 * Returns the test suites of a folder (docs/spec/server.md#test-files), sorted by path. Walks the whole folder,
 * including hidden folders and `_schemas`, but not the folders of fixtures. Follows symbolic links only to fixtures
 * inside of the folder.
 *
 * @throws Error if the directory does not exist or something in it cannot be read.
 */
export function loadSuites(directory: string): readonly SuiteFiles[] {
  const isDirectory = statSync(directory, { throwIfNoEntry: false })?.isDirectory();
  if (isDirectory !== true) {
    const problem = isDirectory === undefined ? 'does not exist' : 'is not a directory of tests';
    throw new Error(`\`${directory}\` ${problem}; name the folder of the policies and their tests`);
  }
  const root = realpathSync(directory);
  return pathsOfSuites(root).map((path) =>
    suiteAt(
      path,
      (folder) => fixtureNames(root, folder),
      (file) => readTestFile(root, file),
    ),
  );
}

function pathsOfSuites(root: string): readonly string[] {
  const found: string[] = [];
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of listEntries(root, folder)) {
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
function listEntries(root: string, folder: string): readonly Dirent[] {
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
    return { source: new Source(path, sourceText(new TextDecoder('utf-8', { fatal: true }).decode(bytes))) };
  } catch {
    return { path, unreadable: 'invalid document: contents are not valid UTF-8' };
  }
}
