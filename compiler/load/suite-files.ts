import { posix } from 'node:path';
import type { Source } from '../diagnostics/source.js';
import { isSkippedDirectory, isSuiteFile } from './names.js';

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
export function suiteAt(
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
