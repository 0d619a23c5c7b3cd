import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { VerifyReport } from '../../packages/analysis/verify/report.js';
import { BROKEN_POLICY } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';

const test = suite('authzc verify');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const CONTACT = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: contact
  version: default
  rules:
    - name: readers
      actions: [read]
      effect: EFFECT_ALLOW
      roles: [user]
    - name: writers
      actions: [update, delete]
      effect: EFFECT_ALLOW
      roles: [user, admin]
      condition: {match: {expr: R.attr.public == true}}
    - name: shared
      actions: [share]
      effect: EFFECT_ALLOW
      roles: [user]
      condition: {match: {expr: R.attr.word == P.attr.word}}
`;

const HEAD = `apiVersion: api.authz.dev/v1
invariants:
  name: contacts
  statements:
`;
const PROVED = `    - name: guests do nothing
      never: {resource: contact, principal: {roles: [guest], notRoles: [user, admin]}}
`;
const REFUTED = `    - name: only admins delete
      never: {resource: contact, actions: [delete], principal: {notRoles: [admin]}}
`;
const NOTHING = `    - name: nothing in acme
      never: {resource: contact, scope: acme}
`;
const UNDECIDED = `    - name: nobody shares by no word
      never: {resource: contact, actions: [share], when: {match: {expr: size(P.attr.word) == -1}}}
`;

function verify(statements: string, flags: readonly string[] = []) {
  const folder = folderOf({ 'policies/contact.yaml': CONTACT, 'policies/invariants.yaml': HEAD + statements });
  folders.push(folder);
  return callAuthzc(['verify', '--no-solver', ...flags], folder);
}

test('statements are proved, or refuted by a request', async () => {
  const { code, stdout, stderr } = await verify(PROVED + REFUTED + NOTHING);
  assert.is(stderr, '');
  assert.is(code, 1);
  assert.is(
    stdout,
    `contacts (policies/invariants.yaml)
  ✔ guests do nothing    proved, 5 rows
  ✘ only admins delete   policies/invariants.yaml:7
      alice [user] may delete contact r1
        principal  {"id":"alice","roles":["user"]}
        resource   {"kind":"contact","id":"r1","attr":{"public":true}}
        allowed by writers, policies/contact.yaml:10
  ✘ nothing in acme      matches no policy, policies/invariants.yaml:9

3 statements: 1 proved, 2 refuted, 0 not decided (a row is a kind, version, scope and action)
`,
  );
});

test('a run without refutations succeeds', async () => {
  const { code, stdout } = await verify(PROVED, ['-o', 'list']);
  assert.is(code, 0);
  assert.is(stdout, 'contacts "guests do nothing" proved never rows=5\n');
});

test('statements that are not decided fail unless they may be', async () => {
  const strict = await verify(UNDECIDED);
  assert.is(strict.code, 1);
  assert.match(strict.stdout, '? nobody shares by no word   not decided: it needs the solver');
  assert.match(
    strict.stdout,
    'note: 1 row undecided; install z3-solver to decide most of them: npm install --save-dev z3-solver',
  );
  assert.is((await verify(UNDECIDED, ['--allow-undecided'])).code, 0);
  assert.is((await verify(UNDECIDED + REFUTED, ['--allow-undecided'])).code, 1);
});

test('markdown has the requests that refute statements', async () => {
  const { stdout } = await verify(PROVED + REFUTED, ['-o', 'markdown']);
  assert.is(
    stdout,
    `### Invariants: 1 refuted, 1 proved

| | statement | form | why |
|---|---|---|---|
| ❌ refuted | \`only admins delete\` (\`contacts\`) | never | \`alice\` [\`user\`] may \`delete\` \`contact\` \`r1\` |

<details><summary>Requests to replay</summary>

- \`only admins delete\`: \`{"principal":{"id":"alice","roles":["user"]},"resource":{"kind":"contact","id":"r1","attr":{"public":true}},"action":"delete"}\`

</details>

1 statement proved. <!-- authzc-verify -->
`,
  );
});

test('two runs print the same JSON', async () => {
  const [one, other] = await Promise.all([
    verify(PROVED + REFUTED, ['-o', 'json']),
    verify(PROVED + REFUTED, ['-o', 'json']),
  ]);
  assert.is(one?.stdout, other?.stdout);
  const report = JSON.parse(one?.stdout ?? '') as VerifyReport;
  assert.equal(report.summary, { statements: 2, proved: 1, refuted: 1, undecided: 0 });
  assert.is(report.statements[1]?.rows[0]?.decidedBy?.rule, 'resource.contact.vdefault#writers');
});

test('flags narrow what is looked at, and the report says so', async () => {
  const { stdout, code } = await verify(REFUTED, ['--action', 'read']);
  assert.is(code, 1);
  assert.match(stdout, 'matches no policy');
  assert.match(stdout, '\nonly action read\n');
});

test('policies that do not compile are refused', async () => {
  const folder = folderOf({ 'policies/a.yaml': BROKEN_POLICY, 'policies/invariants.yaml': HEAD + PROVED });
  folders.push(folder);
  const { code, stdout, stderr } = await callAuthzc(['verify'], folder);
  assert.equal([code, stdout], [3, '']);
  assert.match(stderr, 'error[');
  const unknown = await verify(REFUTED.replace('[delete]', '[delte]'));
  assert.is(unknown.code, 3);
  assert.match(unknown.stderr, 'did you mean `delete`?');
});

test('a folder without statements, and one that does not exist, are errors on one line', async () => {
  const folder = folderOf({ 'policies/contact.yaml': CONTACT });
  folders.push(folder);
  const without = await callAuthzc(['verify'], folder);
  assert.equal([without.code, without.stdout], [1, '']);
  assert.match(without.stderr, /^authzc: `policies` has no `invariants`[^\n]*\n$/);
  const missing = await callAuthzc(['verify', 'nowhere'], folder);
  assert.is(missing.code, 1);
  assert.match(missing.stderr, /^authzc: [^\n]*nowhere[^\n]*\n$/);
  assert.is((await callAuthzc(['verify', '--effort', '9'], folder)).code, 2);
});

test.run();
