import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { filesIn, folderOf } from '../support/cli/programs.js';

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
  const { code, stderr } = await callAuthzc(['ci'], folder);
  assert.is(code, 0, stderr);
  assert.match(
    stderr,
    `ok      the policies are formatted
ok      the policies compile, and generated is up to date
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
  const { code, stderr } = await callAuthzc(['ci'], folder);
  assert.is(code, 4);
  assert.match(
    stderr,
    /FAILED {2}the policies are formatted\nFAILED {2}the policies compile.*\nFAILED {2}the tests pass\n/,
  );

  writeFileSync(join(folder, 'policies/document.yaml'), `${POLICY}a: [\n`);
  const broken = await callAuthzc(['ci'], folder);
  assert.is(broken.code, 3);
  assert.match(
    broken.stderr,
    /FAILED {2}the policies are formatted\nFAILED {2}the policies compile.*\nnothing the tests pass\n/,
  );
});

test('invariants are verified if there are any', async () => {
  const folder = await compiledFolder({ 'policies/document.yaml': POLICY, 'policies/invariants.yaml': INVARIANTS });
  const { code, stdout, stderr } = await callAuthzc(['ci'], folder);
  assert.is(code, 1);
  assert.match(stdout, /nobody views[\s\S]*refuted/);
  assert.match(stderr, /ok {6}the tests pass\nFAILED {2}the invariants hold\n/);
});

test('with --table the row level security of the tables is up to date', async () => {
  const tables = (action: string): string =>
    `tables: {document: {name: public.documents, columns: {owner: {column: owner, type: text}}, rls: {select: ${action}, to: [app]}}}`;
  const folder = folderOf({ 'policies/document.yaml': documentPolicy('view'), 'tables.yaml': tables('view') });
  try {
    assert.is((await callAuthzc(['compile'], folder)).code, 0);
    assert.is((await callAuthzc(['rls', '--table', 'tables.yaml', '--out', 'rls.sql'], folder)).code, 0);
    const ci = (...words: readonly string[]) => callAuthzc(['ci', '--table', 'tables.yaml', ...words], folder);
    assert.match((await ci()).stderr, /^ok {6}row level security can be written$/m);
    assert.match((await ci('--rls', 'rls.sql')).stderr, /^ok {6}row level security is up to date in rls\.sql$/m);
    writeFileSync(join(folder, 'tables.yaml'), tables('edit'));
    const changed = await ci('--rls', 'rls.sql');
    assert.is(changed.code, 1);
    assert.match(changed.stderr, /^FAILED {2}row level security is up to date in rls\.sql$/m);
    assert.is((await callAuthzc(['ci', '--rls', 'rls.sql'], folder)).code, 2);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test('with -o github problems are annotations of files', async () => {
  const folder = await compiledFolder({ 'policies/document.yaml': POLICY });
  writeFileSync(
    join(folder, 'policies/document_test.yaml'),
    SUITE('EFFECT_DENY').replace('name: documents', 'name:  documents'),
  );
  const { code, stdout } = await callAuthzc(['ci', '-o', 'github'], folder);
  assert.is(code, 4);
  assert.match(stdout, '::error file=policies/document_test.yaml,title=format/style::not formatted; run authzc fmt\n');
  assert.match(stdout, /^::error file=policies\/document_test\.yaml,line=\d+,.*title=test\/failed::/m);
});

test('with -o sarif all checks have one log, in which nothing is twice', async () => {
  const folder = await compiledFolder({ 'policies/document.yaml': POLICY, 'policies/invariants.yaml': INVARIANTS });
  writeFileSync(join(folder, 'policies/document.yaml'), POLICY.replace('[user]', '[admin]'));
  writeFileSync(
    join(folder, 'policies/document_test.yaml'),
    SUITE('EFFECT_ALLOW').replace('name: documents', 'name:  documents'),
  );
  const { code, stdout } = await callAuthzc(['ci', '-o', 'sarif'], folder);
  assert.is(code, 4);
  assert.equal(resultsIn(stdout), [
    'format/style policies/document_test.yaml',
    'invariant/refuted policies/invariants.yaml',
    'output/stale generated/hash.ts',
    'output/stale generated/manifest.json',
    'output/stale generated/resource/document.ts',
    'output/stale generated/types.ts',
    'test/failed policies/document_test.yaml',
  ]);

  writeFileSync(join(folder, 'policies/document.yaml'), 'a: [\n');
  const broken = await callAuthzc(['ci', '-o', 'sarif'], folder);
  assert.is(broken.code, 3);
  // Both the formatter and the compiler report it.
  assert.equal(resultsIn(broken.stdout), [
    'format/style policies/document_test.yaml',
    'yaml/syntax policies/document.yaml',
  ]);
});

test('with -o junit every check is a suite, also one that passes or cannot be made', async () => {
  const folder = await compiledFolder({ 'policies/document.yaml': POLICY });
  const { code, stdout } = await callAuthzc(['ci', '-o', 'junit'], folder);
  assert.is(code, 0);
  assert.is(
    stdout,
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites tests="4" failures="0">
  <testsuite name="the policies are formatted" tests="1" failures="0">
    <testcase name="no problems" classname="authzc"/>
  </testsuite>
  <testsuite name="the policies compile, and generated is up to date" tests="1" failures="0">
    <testcase name="no problems" classname="authzc"/>
  </testsuite>
  <testsuite name="the tests pass" tests="1" failures="0">
    <testcase name="no problems" classname="authzc"/>
  </testsuite>
  <testsuite name="the invariants hold" tests="1" failures="0" skipped="1">
    <testcase name="no problems" classname="authzc">
      <skipped/>
    </testcase>
  </testsuite>
</testsuites>
`,
  );
});

test('a check that fails without an error in a file is an error of the document', async () => {
  const folder = await compiledFolder({
    'policies/document.yaml': `${POLICY}  variables:\n    local:\n      unused: R.attr.public == true\n`,
  });
  for (const format of ['sarif', 'junit', 'github']) {
    const { code, stdout } = await callAuthzc(['ci', '-o', format], folder);
    assert.is(code, 3);
    assert.match(stdout, 'failed: the policies compile, and generated is up to date');
  }
});

test.run();

function resultsIn(log: string): readonly string[] {
  const { runs } = JSON.parse(log) as {
    readonly runs: readonly [
      {
        readonly results: readonly {
          readonly ruleId: string;
          readonly locations: readonly [
            { readonly physicalLocation: { readonly artifactLocation: { readonly uri: string } } },
          ];
        }[];
      },
    ];
  };
  assert.is(runs.length, 1);
  return runs[0].results
    .map(({ ruleId, locations: [{ physicalLocation }] }) => `${ruleId} ${physicalLocation.artifactLocation.uri}`)
    .toSorted();
}

async function compiledFolder(files: { readonly [path: string]: string }): Promise<string> {
  const folder = folderOf(files);
  folders.push(folder);
  assert.is((await callAuthzc(['compile'], folder)).code, 0);
  return folder;
}
