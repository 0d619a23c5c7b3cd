import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN_POLICY, documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { filesIn, folderOf } from '../support/cli/programs.js';

const test = suite('authzc compile --fail-on');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const CLEAN = documentPolicy('view');
const WARNED = documentPolicy('view').replace('roles: [', 'roles: ["{a,b}", ');

test('by default a warning is printed and the build succeeds', async () => {
  const { code, stdout, files } = await compiled(WARNED);
  assert.is(code, 0);
  assert.match(stdout, 'warning[glob/literal]');
  assert.ok(files.includes('dist/policies.js'));
});

test('with --fail-on warning a warning is status 3, and nothing is written', async () => {
  const { code, stdout, files } = await compiled(WARNED, '--fail-on', 'warning');
  assert.is(code, 3);
  assert.match(stdout, 'warning[glob/literal]');
  assert.equal(files, ['policies/document.yaml']);
});

test('--fail-on does not affect policies without a warning, and an error is always status 3', async () => {
  assert.is((await compiled(CLEAN, '--fail-on', 'warning')).code, 0);
  assert.is((await compiled(BROKEN_POLICY, '--fail-on', 'warning')).code, 3);
  assert.is((await compiled(BROKEN_POLICY, '--fail-on', 'error')).code, 3);
});

test('an unknown severity is a usage error', async () => {
  assert.is((await compiled(CLEAN, '--fail-on', 'hint')).code, 2);
});

test.run();

async function compiled(policy: string, ...options: readonly string[]) {
  const folder = folderOf({ 'policies/document.yaml': policy });
  folders.push(folder);
  const ended = await callAuthzc(['compile', ...options], folder);
  return { ...ended, files: filesIn(folder) };
}
