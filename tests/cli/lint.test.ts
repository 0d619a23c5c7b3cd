import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN_POLICY, documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';

const test = suite('authzc lint');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const OLD = `${documentPolicy('view')}      condition:
        match:
          expr: is_subset(P.roles, R.attr.roles) && is_subset(R.attr.roles, P.roles)
`;

test('problems are printed, and only those of the severity of --fail-on fail', async () => {
  const folder = newFolder({ 'policies/document.yaml': OLD });
  const warned = await callAuthzc(['lint'], folder);
  assert.is(warned.code, 0);
  assert.match(warned.stdout, 'warning[deprecated/function]');
  assert.is((await callAuthzc(['lint', '--fail-on', 'warning'], folder)).code, 3);
  const broken = newFolder({ 'policies/document.yaml': BROKEN_POLICY });
  assert.is((await callAuthzc(['lint'], broken)).code, 3);
});

test('--fix applies safe fixes of several rounds, and no others', async () => {
  const misspelt = documentPolicy('edit')
    .replace('EFFECT_ALLOW', 'allow')
    .replace('document', 'letter')
    .concat("      condition:\n        match:\n          expr: is_subset(P.roles, ['a']) && V.is_public\n");
  const folder = newFolder({ 'policies/document.yaml': OLD, 'policies/letter.yaml': misspelt });
  const { code, stdout, stderr } = await callAuthzc(['lint', '--fix'], folder);
  assert.is(code, 3);
  assert.match(stdout, 'error[variable/undefined]');
  assert.not.match(stdout, 'deprecated/function]: `is_subset` is deprecated in document');
  assert.match(stderr, 'fixed 1 problem in policies/letter.yaml\n');
  assert.match(readFileSync(join(folder, 'policies/letter.yaml'), 'utf8'), 'effect: EFFECT_ALLOW');
  const alone = newFolder({ 'policies/document.yaml': OLD });
  const fixed = await callAuthzc(['lint', '--fix', '--fail-on', 'warning'], alone);
  assert.equal(fixed, { code: 0, stdout: '', stderr: 'fixed 2 problems in policies/document.yaml\n' });
  assert.is(readFileSync(join(alone, 'policies/document.yaml'), 'utf8'), OLD.replaceAll('is_subset', 'isSubset'));
});

test.run();

function newFolder(files: { readonly [path: string]: string }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}
