import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../diagnostics/diagnostic.js';
import { load } from './index.js';

interface Outcome {
  readonly paths: readonly string[];
  readonly schemas: Readonly<Record<string, string>>;
  readonly problems: readonly (readonly [string, string | undefined])[];
}

function loaded(
  files: Readonly<Record<string, string | Uint8Array>>,
  prepare: (root: string) => void = () => {},
): Outcome {
  const top = mkdtempSync(join(tmpdir(), 'authz-load-'));
  const root = join(top, 'policies');
  try {
    mkdirSync(root);
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    prepare(root);
    const report = new Diagnostics();
    const { sources, schemas } = load(root, report);
    return {
      paths: sources.map(({ path }) => path),
      schemas: Object.fromEntries(schemas),
      problems: report.sorted().map(({ code, source }) => [code, source?.path]),
    };
  } finally {
    rmSync(top, { recursive: true, force: true });
  }
}

const named = (...paths: string[]) => Object.fromEntries(paths.map((path) => [path, '']));

test('files with a policy extension are policies, in any letter case', () => {
  assert.equal(loaded(named('a.yaml', 'b.yml', 'c.json', 'X.YAML', 'd/e.Yml')).paths, [
    'X.YAML',
    'a.yaml',
    'b.yml',
    'c.json',
    'd/e.Yml',
  ]);
});

test('files with another extension, or none, are ignored', () => {
  assert.equal(loaded(named('x.txt', 'x.yaml.bak', 'x', 'yaml')).paths, []);
});

test('test suites are ignored, and nothing else', () => {
  assert.equal(loaded(named('a_test.yaml', 'A_TEST.YAML', '_test.yml', 'b_Test.json')).paths, []);
  const kept = ['test.yaml', 'tests/x.yaml', 'x.test.yaml', 'xtest.yaml'];
  assert.equal(loaded(named(...kept)).paths, kept);
});

test('names that start with a dot are ignored, and so is testdata at any depth', () => {
  assert.equal(loaded(named('.x.yaml', '..x.yaml', '.git/x.yaml', 'testdata/x.yaml', 'a/testdata/b/x.yaml')).paths, []);
  assert.equal(loaded(named('Testdata/x.yaml', 'testdata.yaml')).paths, ['Testdata/x.yaml', 'testdata.yaml']);
});

test('_schemas at the root holds schemas', () => {
  const outcome = loaded({
    '_schemas/a.json': '{}',
    '_schemas/b/c.json': '[]',
    '_schemas/_schemas/d.json': '1',
    '_schemas.yaml': '',
    '_x.yaml': '',
  });
  assert.equal(outcome.paths, ['_schemas.yaml', '_x.yaml']);
  assert.equal(outcome.schemas, { '_schemas/d.json': '1', 'a.json': '{}', 'b/c.json': '[]' });
  assert.equal(outcome.problems, []);
});

test('_schemas anywhere else is an error, and is not read', () => {
  const outcome = loaded(named('a/_schemas/x.yaml', 'a/b.yaml'));
  assert.equal(outcome.paths, ['a/b.yaml']);
  assert.equal(outcome.problems, [['file/misplaced-schemas', 'a/_schemas']]);
});

test('a file that is not UTF-8 is an error', () => {
  const outcome = loaded({
    'a.yaml': new Uint8Array([0x61, 0xff]),
    'b.yaml': '',
    '_schemas/logo.png': new Uint8Array([0xff]),
  });
  assert.equal(outcome.paths, ['b.yaml']);
  assert.equal(outcome.problems, [['file/invalid-utf8', 'a.yaml']]);
});

test('a file of more than 4 MiB is an error', () => {
  const outcome = loaded({ 'a.yaml': new Uint8Array(4 * 1024 * 1024 + 1).fill(0x20) });
  assert.equal(outcome.problems, [['file/too-large', 'a.yaml']]);
});

test('links within the directory are followed', () => {
  const outcome = loaded({ '..data/a.yaml': '', '..data/_schemas/s.json': '{}', '..data/sub/b.yaml': '' }, (root) => {
    symlinkSync('..data/a.yaml', join(root, 'a.yaml'));
    symlinkSync('..data/_schemas', join(root, '_schemas'));
    symlinkSync('..data/sub', join(root, 'sub'));
  });
  assert.equal(outcome.paths, ['a.yaml', 'sub/b.yaml']);
  assert.equal(outcome.schemas, { 's.json': '{}' });
});

test('links out of the directory are errors when they could hold policies', () => {
  const outcome = loaded(named('a.yaml'), (root) => {
    mkdirSync(join(root, '../outside'));
    writeFileSync(join(root, '../outside/x.yaml'), '');
    symlinkSync('../outside', join(root, 'directory'));
    symlinkSync('../outside', join(root, 'testdata'));
    symlinkSync('../outside/x.yaml', join(root, 'file.yaml'));
    symlinkSync('../outside/x.yaml', join(root, 'notes'));
    symlinkSync('nowhere', join(root, 'gone.yaml'));
    symlinkSync('nowhere', join(root, 'gone'));
  });
  assert.equal(outcome.paths, ['a.yaml']);
  assert.equal(outcome.problems, [
    ['file/outside-link', 'directory'],
    ['file/outside-link', 'file.yaml'],
    ['file/broken-link', 'gone.yaml'],
  ]);
});

test('circular links end, and a directory is read once', () => {
  const outcome = loaded(named('a/x.yaml', 'b/y.yaml'), (root) => {
    symlinkSync('..', join(root, 'a/up'));
    symlinkSync('../b', join(root, 'a/b'));
    symlinkSync('../a', join(root, 'b/a'));
    symlinkSync('self.yaml', join(root, 'self.yaml'));
  });
  assert.equal(outcome.paths, ['a/x.yaml', 'b/y.yaml']);
  assert.equal(outcome.problems, [['file/broken-link', 'self.yaml']]);
});

test("a pipe, a socket or a device with a policy's name is an error, and is not opened", () => {
  const outcome = loaded(named('a.yaml', '_schemas/s.json'), (root) => {
    for (const name of ['pipe.yaml', 'pipe.json', 'notes.txt', '.hidden.yaml', '_schemas/pipe.json'])
      execFileSync('mkfifo', [join(root, name)]);
    symlinkSync('pipe.yaml', join(root, 'link.yml'));
    symlinkSync('/dev/zero', join(root, 'device.yaml'));
    symlinkSync('/dev/zero', join(root, 'device'));
    mkdirSync(join(root, 'testdata'));
    execFileSync('mkfifo', [join(root, 'testdata/pipe.yaml')]);
  });
  assert.equal(outcome.paths, ['a.yaml']);
  assert.equal(
    outcome.problems,
    ['_schemas/pipe.json', 'device.yaml', 'link.yml', 'pipe.json', 'pipe.yaml'].map((path) => [
      'file/not-regular',
      path,
    ]),
  );
});

test('schemas are limited in size and number', () => {
  const large = loaded({
    'a.yaml': '',
    '_schemas/large.json': new Uint8Array(4 * 1024 * 1024 + 1),
    '_schemas/s.json': '{}',
  });
  assert.equal([large.problems, large.schemas], [[['file/too-large', '_schemas/large.json']], { 's.json': '{}' }]);
  const sum = loaded(
    Object.fromEntries(
      Array.from({ length: 18 }, (_, index) => [
        `_schemas/${String(index).padStart(2, '0')}.json`,
        ' '.repeat(4 * 1024 * 1024),
      ]),
    ),
  );
  assert.equal([sum.problems, Object.keys(sum.schemas).length], [[['file/too-many-schemas', '_schemas/16.json']], 16]);
  const many = loaded(
    Object.fromEntries(
      Array.from({ length: 10_002 }, (_, index) => [`_schemas/${String(index).padStart(5, '0')}.json`, '']),
    ),
  );
  assert.equal(
    [many.problems, Object.keys(many.schemas).length],
    [[['file/too-many-schemas', '_schemas/10000.json']], 10_000],
  );
});

test('a file of any size is rejected without being read', () => {
  const outcome = loaded(named('a.yaml'), (root) => {
    for (const name of ['huge.yaml', '_schemas/huge.json']) {
      mkdirSync(dirname(join(root, name)), { recursive: true });
      // Sparse: it takes no room, but more memory than a process may have.
      execFileSync('truncate', ['-s', '16G', join(root, name)]);
    }
  });
  assert.equal(outcome.problems, [
    ['file/too-large', '_schemas/huge.json'],
    ['file/too-large', 'huge.yaml'],
  ]);
});

test('a missing directory, or a file in its place, is a clear error', () => {
  assert.throws(() => load(join(tmpdir(), 'authz-no-such-directory'), new Diagnostics()), /does not exist/);
  loaded(named('a.yaml'), (root) =>
    assert.throws(() => load(join(root, 'a.yaml'), new Diagnostics()), /is not a directory/),
  );
});

test.run();
