import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  basePath,
  dirPath,
  extPath,
  joinPath,
  pathHasPrefix,
  pathMatch,
  pathMatchAnyOf,
  relPath,
  volumeName,
} from './paths.js';
import { CelError, type Result } from './values.js';

const shown = (result: Result) => (result instanceof CelError ? result.message : result);

const table = (name: string, f: (path: Result) => Result, cases: readonly (readonly [string, string])[]) => {
  for (const [path, expected] of cases) assert.is(shown(f(path)), expected, `${name}(${path})`);
};

test('basePath is the last element', () => {
  table('basePath', basePath, [
    ['', '.'],
    ['/', '/'],
    ['a', 'a'],
    ['/a/b/', 'b'],
    ['a\\b', 'b'],
    ['C:\\', 'C:'],
    ['\\\\h\\s\\p', 'p'],
  ]);
});

test('dirPath is the part before the last element', () => {
  table('dirPath', dirPath, [
    ['/a/b/', '/a'],
    ['/a', '/'],
    ['/', '/'],
    ['a', '.'],
    ['', '.'],
    ['C:\\a\\b', 'C:\\a'],
    ['C:\\a', 'C:'],
    ['C:\\', 'C:\\'],
    ['C:', 'C:\\'],
    ['\\\\h\\s\\p\\q', '\\\\h\\s\\p'],
    ['\\\\h\\s', '\\\\h\\s'],
    ['a\\b', 'a'],
  ]);
  assert.ok(dirPath('a\\') instanceof CelError);
});

test('extPath starts at the last dot of the last element', () => {
  table('extPath', extPath, [
    ['/a/b', ''],
    ['.bashrc', '.bashrc'],
    ['a.', '.'],
    ['a.b.c', '.c'],
    ['a.b/c', ''],
  ]);
});

test('volumeName is a drive or a share', () => {
  table('volumeName', volumeName, [
    ['C:\\a', 'C:'],
    ['C:', 'C:'],
    ['\\\\h\\s\\p', '\\\\h\\s'],
    ['\\\\h', ''],
    ['/a', ''],
    ['a.b', ''],
  ]);
  assert.is(shown(volumeName('C:foo')), 'failed to encode path C:foo: unsupported Win32 path');
});

test('joinPath cleans the joined path and leaves a single element unchanged', () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [[], ''],
    [['a/../b'], 'a/../b'],
    [['/a', 'b', 'c.txt'], '/a/b/c.txt'],
    [['/a', '../b'], '/b'],
    [['', 'a'], 'a'],
    [['a', '', 'b'], 'a/b'],
    [['/a/', '/b/'], '/a/b'],
    [['C:\\a', 'b'], 'C:\\a\\b'],
    [['a\\b', 'c'], 'a\\b\\c'],
    [['a', 'b\\c'], 'a/b/c'],
    [['\\\\h\\s', 'p'], '\\\\h\\s\\p'],
    [['\\\\h', 's', 'p'], '\\\\h\\s\\p'],
  ];
  for (const [list, expected] of cases) assert.is(shown(joinPath(list)), expected);
  assert.is(shown(joinPath([1, 'a'])), 'no such overload: joinPath(list)');
});

test('relPath is the path from the base to the target', () => {
  const cases: readonly (readonly [string, string, string])[] = [
    ['/a/b', '/a/c', '../c'],
    ['/a/b', '/a/b', '.'],
    ['/a/b/c', '/a', '../..'],
    ['/', '/a', 'a'],
    ['C:\\a', 'C:\\a\\b\\c', 'b\\c'],
    ['\\\\h\\s\\a', '\\\\h\\s\\a\\b', 'b'],
    ['/a', 'b', "failed to determine relative path of b: Rel: can't make b relative to /a"],
    ['..', 'a', "failed to determine relative path of a: Rel: can't make a relative to .."],
    ['..', '../a', 'a'],
  ];
  for (const [base, target, expected] of cases)
    assert.is(shown(relPath(base, target)), expected, `${base} to ${target}`);
});

test('pathHasPrefix compares elements and excludes hidden files', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['/a/b/c', '/a/b', true],
    ['/a/b', '/a/b', true],
    ['/a/b/../c', '/a/c', false],
    ['/a/bc', '/a/b', false],
    ['/a/.x', '/a', false],
    ['a', '', true],
    ['C:\\a\\b', 'C:\\a', true],
  ];
  for (const [path, prefix, expected] of cases) assert.is(pathHasPrefix(path, prefix), expected, `${path} ${prefix}`);
  assert.is(
    shown(pathHasPrefix('a/b', '/a')),
    "failed to determine relative path of a/b: Rel: can't make a/b relative to /a",
  );
});

test('pathMatch is a shell glob on the whole path', () => {
  const cases: readonly (readonly [string, string, boolean])[] = [
    ['/a/b.zip', '/a/*.zip', true],
    ['/a/b/c.zip', '/a/*.zip', false],
    ['/a/b', '/a/?', true],
    ['/a/é', '/a/?', true],
    ['/a/b', '/a/[a-c]', true],
    ['/a/b', '/a/[^a-c]', false],
    ['/a/b', '/a/[a-cx-z]', true],
    ['/a/b', '/a/[^x-za-c]', false],
    ['/a/b', '/a/[!a]', false],
    ['/a/b', '**', false],
    ['/a/b', '/*/*', true],
    ['abcabd', '*ab?', true],
    ['/A', '/a', false],
    ['/a/x/b', '/a/x\\b', true],
    ['x]', 'x]', true],
  ];
  for (const [path, glob, expected] of cases) assert.is(pathMatch(path, glob), expected, `${path} ${glob}`);
  for (const glob of ['[a-]', '[', '[]', 'x[^', 'zzz[']) {
    assert.is(shown(pathMatch('a', glob)), `failed to match pattern "${glob}" on path "a": syntax error in pattern`);
  }
  assert.is(pathMatchAnyOf('/a/b.zip', ['/a/*.gz', '/a/*.zip']), true);
  assert.is(pathMatchAnyOf('/a/b.zip', []), false);
});

test('wrong types have no overload', () => {
  assert.is(shown(basePath(null)), 'no such overload: basePath(null_type)');
  assert.is(shown(relPath(5, 'a')), 'no such overload: relPath(double, string)');
  assert.is(shown(pathMatchAnyOf('a', 'b')), 'no such overload: pathMatchAnyOf(string, string)');
  assert.is(pathMatch(5, undefined), undefined);
});

test.run();
