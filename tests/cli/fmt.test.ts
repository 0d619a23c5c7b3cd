import { execFileSync } from 'node:child_process';
import { lstatSync, readFileSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';

const test = suite('authzc fmt');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const TIDY = documentPolicy('view');
const UNTIDY = TIDY.replace('version: default', 'version:   default');
const FILES = {
  'policies/tidy.yaml': TIDY,
  'policies/untidy.yaml': UNTIDY,
  'policies/testdata/principals.yml': 'principals:   {}\n',
  'policies/_schemas/document.yaml': 'a:   1\n',
  'policies/.hidden/a.yaml': 'a:   1\n',
  'policies/notes.txt': 'a:   1\n',
};

test('YAML of other programs in a folder stays as it is; a file that is named is formatted', async () => {
  const others = {
    'app/docker-compose.yaml': 'services:   {a:   {image: b}}\n',
    'app/deployment.yaml': 'apiVersion:   apps/v1\nkind:   Deployment\n',
    'app/values.yml': 'apiVersion: api.authz.development/v1\na:   1\n',
    'app/broken.yaml': '{{- if .Values.a }}\na:   b\n',
    'app/load_test.yaml': 'name:   a\nscenarios:   []\n',
    'app/testdata/golden.yaml': 'a:   1\n',
    'app/comment.yaml': '# apiVersion: api.authz.dev/v1\na:   1\n',
  };
  const own = {
    'app/untidy.yaml': UNTIDY,
    'app/quoted.yaml': UNTIDY.replace('apiVersion: api.authz.dev/v1', '"apiVersion": "api.authz.dev/v1"'),
    'app/untidy_test.yaml': 'name:   a\ntests:   []\n',
    'app/testdata/resources.yaml': 'resources:   {}\n',
  };
  const folder = newFolder({ ...others, ...own });
  const { code, stdout } = await callAuthzc(['fmt', 'app'], folder);
  assert.is(code, 0);
  assert.equal(stdout.trim().split('\n').sort(), Object.keys(own).sort());
  for (const [path, text] of Object.entries(others)) assert.is(readFileSync(join(folder, path), 'utf8'), text, path);
  assert.is((await callAuthzc(['fmt', 'app/values.yml'], folder)).stdout, 'app/values.yml\n');
});

test('it writes files in one style and prints their paths; --check only prints them', async () => {
  const folder = newFolder(FILES);
  const due = 'policies/testdata/principals.yml\npolicies/untidy.yaml\n';
  const checked = await callAuthzc(['fmt', '--check'], folder);
  assert.equal([checked.code, checked.stdout], [1, due]);
  assert.match(checked.stderr, '2 files not formatted; run: npx authzc fmt policies\n');
  assert.is(readFileSync(join(folder, 'policies/untidy.yaml'), 'utf8'), UNTIDY);

  const written = await callAuthzc(['fmt'], folder);
  assert.equal(written, { code: 0, stdout: due, stderr: '' });
  assert.is(readFileSync(join(folder, 'policies/untidy.yaml'), 'utf8'), TIDY);
  for (const path of ['policies/_schemas/document.yaml', 'policies/.hidden/a.yaml', 'policies/notes.txt'] as const)
    assert.is(readFileSync(join(folder, path), 'utf8'), FILES[path]);
  assert.equal(await callAuthzc(['fmt', '--check'], folder), { code: 0, stdout: '', stderr: '' });
});

test('a file that is not well-formed stays, and the others are formatted', async () => {
  const broken = 'apiVersion: api.authz.dev/v1\na: [\n';
  const folder = newFolder({ 'policies/broken.yaml': broken, 'policies/untidy.yaml': UNTIDY });
  const { code, stdout } = await callAuthzc(['fmt'], folder);
  assert.is(code, 3);
  assert.match(stdout, /policies\/broken\.yaml:2:4: error/);
  assert.match(stdout, /^policies\/untidy\.yaml$/m);
  assert.is(readFileSync(join(folder, 'policies/broken.yaml'), 'utf8'), broken);
  assert.is(readFileSync(join(folder, 'policies/untidy.yaml'), 'utf8'), TIDY);
});

test('a link stays a link, and links in folders are not followed', async () => {
  const folder = newFolder({ 'elsewhere/target.yaml': UNTIDY, 'policies/tidy.yaml': TIDY });
  symlinkSync('../elsewhere/target.yaml', join(folder, 'policies/link.yaml'));
  assert.equal(await callAuthzc(['fmt'], folder), { code: 0, stdout: '', stderr: '' });
  assert.is((await callAuthzc(['fmt', 'policies/link.yaml'], folder)).code, 0);
  assert.ok(lstatSync(join(folder, 'policies/link.yaml')).isSymbolicLink());
  assert.is(readFileSync(join(folder, 'elsewhere/target.yaml'), 'utf8'), TIDY);
});

test('a file that compile refuses to read is an error, and the others are formatted', async () => {
  const large = `${UNTIDY}${'#'.repeat(4 * 1024 * 1024)}\n`;
  const utf16 = (text: string): Buffer => Buffer.from(`\ufeff${text}`, 'utf16le');
  const unread = {
    'utf16.yaml': ['invalid-utf8', (path: string) => writeFileSync(path, utf16(UNTIDY))],
    'swapped.yaml': ['invalid-utf8', (path: string) => writeFileSync(path, utf16(UNTIDY).swap16())],
    'utf16_test.yaml': ['invalid-utf8', (path: string) => writeFileSync(path, utf16('tests:   []\n'))],
    'large.yaml': ['too-large', (path: string) => writeFileSync(path, large)],
    'pipe.yaml': ['not-regular', (path: string) => execFileSync('mkfifo', [path])],
    'device.yml': ['not-regular', (path: string) => symlinkSync('/dev/zero', path)],
    'self.yaml': ['broken-link', (path: string) => symlinkSync('self.yaml', path)],
    'gone.yaml': ['broken-link', (path: string) => symlinkSync('nowhere.yaml', path)],
  } as const;
  const folder = newFolder({
    'app/untidy.yaml': UNTIDY,
    'app/utf16-of-others.yaml': utf16('a:   1\n'),
  });
  // Sparse: a file of another program that no buffer holds.
  writeFileSync(join(folder, 'app/huge.yaml'), '');
  truncateSync(join(folder, 'app/huge.yaml'), 16 * 2 ** 30);
  for (const [name, [, create]] of Object.entries(unread)) create(join(folder, 'app', name));
  for (const flags of [['--check'], []]) {
    const { code, stdout } = await callAuthzc(['fmt', ...flags, 'app'], folder);
    assert.is(code, 3);
    const reported = [...stdout.matchAll(/^app\/(\S+): error\[file\/(\S+)\]: .+\n {2}note: .+$/gm)];
    assert.equal(
      Object.fromEntries(reported.map(([, name, problem]) => [name, problem])),
      Object.fromEntries(Object.entries(unread).map(([name, [problem]]) => [name, problem])),
    );
    assert.match(stdout, /^app\/untidy\.yaml$/m);
  }
  assert.is(readFileSync(join(folder, 'app/untidy.yaml'), 'utf8'), TIDY);
  for (const [name, [problem]] of Object.entries(unread)) {
    const { code, stdout } = await callAuthzc(['fmt', '--check', `app/${name}`], folder);
    assert.is(code, 3, name);
    assert.match(stdout, `app/${name}: error[file/${problem}]`);
  }
});

test('what is missing and what is not YAML is an error with its path', async () => {
  const folder = newFolder({ 'a.json': '{}' });
  for (const [path, message, status] of [
    ['nothing', 'nothing: error: does not exist', 1],
    ['a.json', 'a.json: error: only YAML files are formatted', 2],
  ] as const) {
    const { code, stderr } = await callAuthzc(['fmt', path], folder);
    assert.is(code, status, path);
    assert.match(stderr, message);
  }
});

test.run();

function newFolder(files: { readonly [path: string]: string | Uint8Array }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}
