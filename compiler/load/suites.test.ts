import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Source } from '../diagnostics/source.js';
import { loadSuites, type SuiteFiles, suitesAmong, type TestFile } from './index.js';

function loadPaths(paths: readonly string[], prepare: (root: string) => void = () => {}): readonly SuiteFiles[] {
  const top = mkdtempSync(join(tmpdir(), 'authz-suites-'));
  const root = join(top, 'tests');
  try {
    for (const path of paths) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), `# ${path}`);
    }
    prepare(root);
    return loadSuites(root);
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

const findPath = (file: TestFile | undefined): string | undefined =>
  file === undefined ? undefined : 'source' in file ? file.source.path : file.unreadable;

test('files that end in _test are suites, in any letter case, in hidden folders and _schemas too, but not in testdata; sorted', () => {
  const yes = ['.hidden/a_test.yaml', 'B_TEST.YML', '_schemas/c_test.json', '_test.yaml', 'x/y/d_Test.yaml'];
  const no = ['test.yaml', 'a_test.yaml.bak', 'testdata/e_test.yaml', 'x/testdata/deep/f_test.yaml', 'a_tests.yaml'];
  assert.equal(
    loadPaths([...no, ...yes].reverse()).map(({ path }) => path),
    yes.toSorted(),
  );
});

test('fixtures are in the testdata next to the suite, by exact name; the first of several', () => {
  const [inner, outer] = loadPaths([
    'a_test.yaml',
    'testdata/principals.yml',
    'testdata/principals.json',
    'testdata/Resources.yaml',
    'testdata/aux_data.yaml',
    'testdata/auxData.json',
    'testdata/other.yaml',
    '.x/b_test.yaml',
  ]) as readonly [SuiteFiles, SuiteFiles];
  assert.equal(
    [outer.fixtureFolder, findPath(outer.principals), findPath(outer.resources), findPath(outer.auxData)],
    ['testdata', 'testdata/principals.json', undefined, 'testdata/auxData.json'],
  );
  assert.equal(
    [inner.fixtureFolder, findPath(inner.principals), findPath(inner.auxData)],
    ['.x/testdata', undefined, undefined],
  );
});

test('suites in memory are found by the same names', () => {
  const paths = [
    'a_test.yaml',
    'testdata/principals.json',
    'testdata/principals.yml',
    'testdata/deep/resources.yaml',
    'testdata/e_test.yaml',
    'x/b_test.YML',
    'x/testdata/aux_data.yaml',
    'x/testdata/auxData.json',
    'testdat',
    'x/policy.yaml',
  ];
  const listNames = (suites: readonly SuiteFiles[]): unknown =>
    suites.map(({ path, fixtureFolder, file, ...fixtures }) => [
      path,
      fixtureFolder,
      findPath(file),
      findPath(fixtures.principals),
      findPath(fixtures.resources),
      findPath(fixtures.auxData),
    ]);
  const inMemory = suitesAmong(paths.toReversed().map((path) => new Source(path, '')));
  assert.is(inMemory.length, 2);
  assert.equal(listNames(inMemory), listNames(loadPaths(paths)));
});

test('links to fixtures are followed only within the folder', () => {
  const suites = loadPaths(
    [
      'a/a_test.yaml',
      'a/testdata/principals.yaml',
      'b/b_test.yaml',
      'c/c_test.yaml',
      'd/d_test.yaml',
      'd/testdata/x.yaml',
      '../outside/principals.yaml',
    ],
    (root) => {
      symlinkSync('../a/testdata', join(root, 'b/testdata'));
      symlinkSync('../../outside', join(root, 'c/testdata'));
      symlinkSync('../../../outside/principals.yaml', join(root, 'd/testdata/principals.yaml'));
      symlinkSync('../a/a_test.yaml', join(root, 'b/linked_test.yaml'));
      symlinkSync('..', join(root, 'a/up'));
    },
  );
  assert.equal(
    suites.map(({ path, principals }) => [path, findPath(principals)]),
    [
      ['a/a_test.yaml', 'a/testdata/principals.yaml'],
      ['b/b_test.yaml', 'b/testdata/principals.yaml'],
      ['c/c_test.yaml', undefined],
      ['d/d_test.yaml', undefined],
    ],
  );
});

test('a file that is not UTF-8 or too large is an error of its suite', () => {
  const suites = loadPaths(['x/y.txt'], (root) => {
    writeFileSync(join(root, 'a_test.yaml'), new Uint8Array([0xff]));
    writeFileSync(join(root, 'b_test.yaml'), ' '.repeat(4 * 1024 * 1024 + 1));
  });
  assert.equal(
    suites.map(({ file }) => findPath(file)),
    ['invalid document: contents are not valid UTF-8', 'document is larger than 4194304 bytes'],
  );
});

test("a pipe with a suite's name is an error, and is not opened", () => {
  const suites = loadPaths(['x.txt'], (root) => {
    mkdirSync(root, { recursive: true });
    execFileSync('mkfifo', [join(root, 'a_test.yaml')]);
  });
  assert.equal(
    suites.map(({ file }) => findPath(file)),
    ['not a regular file'],
  );
});

test('a missing folder is an error', () => {
  assert.throws(
    () => loadSuites(join(tmpdir(), 'authz-no-such-directory')),
    /does not exist; name the folder of the policies and their tests/,
  );
});

test.run();
