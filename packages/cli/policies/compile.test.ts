import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFolder, type FolderCompilation } from './compile.js';

const test = suite('compilations of folders');

const policyOf = (kind: string, role = 'user'): string => `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: ${kind}
  version: default
  rules: [{ actions: [view], effect: EFFECT_ALLOW, roles: [${role}] }]
`;

const FILES = { 'a.yaml': policyOf('a'), 'b.yaml': policyOf('b'), '_schemas/a.json': '{}' };

test('the same files in another folder are not compiled again', () => {
  const before = compiled(FILES);
  assert.ok(compiled(FILES, before) === before);
});

for (const [name, files] of Object.entries<{ readonly [path: string]: string }>({
  'a policy that changed': { ...FILES, 'b.yaml': policyOf('b', 'admin') },
  'a policy that was added': { ...FILES, 'c.yaml': policyOf('c') },
  'a policy that was removed': { 'a.yaml': FILES['a.yaml'], '_schemas/a.json': '{}' },
  'a policy that has another name': { 'a.yaml': FILES['a.yaml'], 'c.yaml': FILES['b.yaml'], '_schemas/a.json': '{}' },
  'a schema that changed': { ...FILES, '_schemas/a.json': '{"type": "object"}' },
  'a schema that was added': { ...FILES, '_schemas/b.json': '{}' },
  'a schema that was removed': { 'a.yaml': FILES['a.yaml'], 'b.yaml': FILES['b.yaml'] },
  'a schema that has another name': { 'a.yaml': FILES['a.yaml'], 'b.yaml': FILES['b.yaml'], '_schemas/b.json': '{}' },
  'a folder with a problem of its own': { ...FILES, 'policies/_schemas/c.json': '{}' },
})) {
  test(`${name} is compiled`, () => {
    const before = compiled(FILES);
    const after = compiled(files, before);
    assert.ok(after !== before);
    assert.equal(
      after.sources.map(({ path, text }) => [path, text]),
      compiled(files).sources.map(({ path, text }) => [path, text]),
    );
  });
}

test('what was refused is compiled again, so that its errors are those of its folder', () => {
  const refused = { 'a.yaml': 'resourcePolicy: 1' };
  const before = compiled(refused);
  assert.is(before.program, undefined);
  assert.ok(compiled(refused, before) !== before);
});

/** Compiles a folder that has these files, and removes it. */
function compiled(files: { readonly [path: string]: string }, before?: FolderCompilation): FolderCompilation {
  const folder = mkdtempSync(join(tmpdir(), 'authz-compile-'));
  try {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return compileFolder(folder, { vocabulary: {}, before });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test.run();
