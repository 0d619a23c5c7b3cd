import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { documentPolicy } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, filesIn, folderOf } from '../support/cli/programs.js';

const test = suite('authzc test --suggest');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const HEADER =
  '# Made by authzc: what the policies decide now. Read each line: is it what they should decide?\n\nname: suggested\n';
const POLICY = { 'policies/document.yaml': documentPolicy('view') };

test('it prints one suite and nothing else, and what the suite raises goes to standard error', async () => {
  const folder = newFolder(POLICY);
  const before = filesIn(folder);
  const { code, stdout, stderr } = await authzc(folder, 'test', '--suggest');
  assert.is(code, 0);
  assert.is(
    stdout,
    `${HEADER}principals:
  alice_user: {id: alice, roles: [user]}
resources:
  document: {kind: document, id: r1}
tests:
  - name: "suggested: document.yaml:6 users applies"
    input: {principals: [alice_user], resources: [document], actions: [view]}
    expected:
      - {principal: alice_user, resource: document, actions: {view: EFFECT_ALLOW}}
`,
  );
  assert.match(stderr, /^authzc: 1 test suggested: rules 0 % → 100 %$/m);
  assert.equal(filesIn(folder), before);
});

test('the tests of this repository without one suite: what is written passes and covers as much as before', async () => {
  const folder = newFolder({});
  mkdirSync(join(folder, 'policies'));
  cpSync(join(ROOT, 'policies'), join(folder, 'policies'), { recursive: true });
  rmSync(join(folder, 'policies', 'leave_request_test.yaml'));
  const file = join('policies', 'more_test.yaml');
  const { code, stdout, stderr } = await authzc(folder, 'test', '--suggest', '--write', file);
  assert.is(code, 0, stderr);
  assert.match(stdout, '69 tests executed [69 OK]');
  assert.match(stderr, /rules \d+\.\d % → 100 %, clauses \d+\.\d % → 100 %, MC\/DC \d+\.\d % → 93\.7 %/);
  assert.match(
    stderr,
    'leave_request.yaml:49:29  approve, has(R.attr.disputed) is false: proved never to decide alone',
  );
  const covered = await authzc(folder, 'test', '--coverage', '--min-coverage', '100');
  assert.is(covered.code, 0, covered.stdout);
  const compiled = await authzc(folder, 'compile', '--no-emit', '--tests', 'policies');
  assert.is(compiled.code, 0, compiled.stderr);
  const text = readFileSync(join(folder, file), 'utf8');
  assert.match(text, 'options: {now: "2025-01-01T00:00:00Z"}');
  const again = await authzc(folder, 'test', '--suggest', '--write', file);
  assert.equal([again.code, again.stderr], [1, `authzc: --write \`${file}\` exists; name a new file\n`]);
  assert.is(readFileSync(join(folder, file), 'utf8'), text);
});

test('mutants of a new project: the suite notices all, whose attributes satisfy the schemas', async () => {
  const folder = newFolder({});
  assert.is((await authzc(folder, 'init', 'project')).code, 0);
  const project = join(folder, 'project');
  rmSync(join(project, 'policies', 'document_test.yaml'));
  const written = await authzc(project, 'test', '--suggest=mutants', '--write', 'policies/new_test.yaml');
  assert.is(written.code, 0, written.stderr);
  assert.match(written.stderr, /^authzc: \d+ tests suggested: score 0 % → 100 %$/m);
  const score = await authzc(project, 'test', '--mutate', '--min-score', '100');
  assert.is(score.code, 0, score.stdout);
});

test('a declared vocabulary has the only names that suggested tests use', async () => {
  const folder = newFolder({ ...POLICY, '.authz.yaml': 'vocabulary: {roles: [user, guest], actions: [view, edit]}\n' });
  const { code } = await authzc(folder, 'test', '--suggest=mutants', '--write', 'policies/new_test.yaml');
  assert.is(code, 0);
  const text = readFileSync(join(folder, 'policies/new_test.yaml'), 'utf8');
  assert.match(text, 'roles: [guest]');
  assert.match(text, 'actions: [edit]');
  assert.is((await authzc(folder, 'test')).code, 0);
});

test('nothing is suggested for tests that fail, and a suite has a name that is read', async () => {
  const folder = newFolder(POLICY);
  writeFileSync(
    join(folder, 'policies', 'document_test.yaml'),
    'name: wrong\nprincipals: {ann: {id: ann, roles: [user]}}\nresources: {d: {kind: document, id: d}}\ntests:\n  - name: t\n    input: {principals: [ann], resources: [d], actions: [view]}\n    expected: [{principal: ann, resource: d, actions: {view: EFFECT_DENY}}]\n',
  );
  const failing = await authzc(folder, 'test', '--suggest');
  assert.equal([failing.code, failing.stdout], [4, '']);
  const named = await authzc(folder, 'test', '--suggest', '--write', 'new.yaml');
  assert.equal(
    [named.code, named.stderr],
    [1, 'authzc: --write `new.yaml`: name it *_test.yaml, or `authzc test` does not read it\n'],
  );
  const unknown = await authzc(folder, 'test', '--suggest=nothing');
  assert.is(unknown.code, 2);
  const alone = await authzc(folder, 'test', '--write', 'new_test.yaml');
  assert.equal([alone.code, alone.stderr], [2, 'authzc: `--write` is for the suite of `--suggest`\n']);
});

test.run();

function authzc(cwd: string, ...args: readonly string[]): Promise<Ended> {
  return callAuthzc(args, cwd);
}

function newFolder(files: { readonly [path: string]: string }): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}
