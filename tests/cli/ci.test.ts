import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentPolicy } from '../support/cli/policies.js';
import { filesIn, folderOf, PROGRAMS, run } from '../support/cli/programs.js';

const test = suite('authzc ci');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const POLICY = documentPolicy('view');
const SUITE = (effect: string) => `name: documents
principals:
  ann: {id: ann, roles: [user]}
resources:
  hers: {kind: document, id: d1}
tests:
  - name: users view
    input: {principals: [ann], resources: [hers], actions: [view]}
    expected:
      - {principal: ann, resource: hers, actions: {view: ${effect}}}
`;
const INVARIANTS = `apiVersion: api.authz.dev/v1
invariants:
  name: documents
  statements:
    - name: nobody views
      never:
        resource: document
        actions: [view]
`;

test('a line for each check, and nothing is written', async () => {
  const folder = await compiledFolder({
    'policies/document.yaml': POLICY,
    'policies/document_test.yaml': SUITE('EFFECT_ALLOW'),
  });
  const before = filesIn(folder);
  const { code, stderr } = await run(PROGRAMS.authzc, ['ci'], folder);
  assert.is(code, 0, stderr);
  assert.match(
    stderr,
    `ok      the policies are in one style
ok      the policies compile, and generated is what they compile to
ok      the tests pass
nothing the invariants hold
`,
  );
  assert.equal(filesIn(folder), before);
});

test('every check is made, and the highest exit code is returned', async () => {
  const folder = await compiledFolder({ 'policies/document.yaml': POLICY });
  writeFileSync(join(folder, 'policies/document.yaml'), POLICY.replace('[user]', '[user,  admin]'));
  writeFileSync(join(folder, 'policies/document_test.yaml'), SUITE('EFFECT_DENY'));
  const { code, stderr } = await run(PROGRAMS.authzc, ['ci'], folder);
  assert.is(code, 4);
  assert.match(
    stderr,
    /FAILED {2}the policies are in one style\nFAILED {2}the policies compile.*\nFAILED {2}the tests pass\n/,
  );

  writeFileSync(join(folder, 'policies/document.yaml'), 'a: [\n');
  const broken = await run(PROGRAMS.authzc, ['ci'], folder);
  assert.is(broken.code, 3);
  assert.match(
    broken.stderr,
    /FAILED {2}the policies are in one style\nFAILED {2}the policies compile.*\nnothing the tests pass\n/,
  );
});

test('invariants are verified if there are any', async () => {
  const folder = await compiledFolder({ 'policies/document.yaml': POLICY, 'policies/invariants.yaml': INVARIANTS });
  const { code, stdout, stderr } = await run(PROGRAMS.authzc, ['ci'], folder);
  assert.is(code, 1);
  assert.match(stdout, /nobody views[\s\S]*refuted/);
  assert.match(stderr, /ok {6}the tests pass\nFAILED {2}the invariants hold\n/);
});

test('with -o github problems are annotations of files', async () => {
  const folder = await compiledFolder({ 'policies/document.yaml': POLICY });
  writeFileSync(
    join(folder, 'policies/document_test.yaml'),
    SUITE('EFFECT_DENY').replace('name: documents', 'name:  documents'),
  );
  const { code, stdout } = await run(PROGRAMS.authzc, ['ci', '-o', 'github'], folder);
  assert.is(code, 4);
  assert.match(stdout, '::error file=policies/document_test.yaml,title=format/style::not formatted; run authzc fmt\n');
  assert.match(stdout, /^::error file=policies\/document_test\.yaml,line=\d+,.*title=test\/failed::/m);
});

test.run();

async function compiledFolder(files: { readonly [path: string]: string }): Promise<string> {
  const folder = folderOf(files);
  folders.push(folder);
  assert.is((await run(PROGRAMS.authzc, ['compile'], folder)).code, 0);
  return folder;
}
