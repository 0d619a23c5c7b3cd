import { rmSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BROKEN_POLICY } from '../support/cli/policies.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, folderOf } from '../support/cli/programs.js';

const test = suite('authzc matrix and who-can');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const NOTE = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: note
  version: default
  importDerivedRoles: [note_roles]
  rules:
    - {actions: [view], effect: EFFECT_ALLOW, roles: [user, "guest:*"]}
    - {actions: [edit], effect: EFFECT_ALLOW, derivedRoles: [owner]}
    - {actions: ["*"], effect: EFFECT_ALLOW, roles: [admin]}
    - {actions: [edit], effect: EFFECT_DENY, roles: ["*"], condition: {match: {expr: R.attr.locked == true}}}
`;

const ROLES = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: note_roles
  definitions:
    - {name: owner, parentRoles: [user], condition: {match: {expr: R.attr.owner == P.id}}}
`;

const ALICE = `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: alice
  version: default
  rules:
    - resource: note
      actions: [{action: edit, effect: EFFECT_ALLOW}]
`;

const FILES = { 'policies/note.yaml': NOTE, 'policies/roles.yaml': ROLES, 'policies/alice.yaml': ALICE };

test('a table has roles, actions and principals, with derived roles by name', async () => {
  const { code, stdout } = await authzc(FILES, 'matrix');
  assert.is(code, 0);
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s{2,}/));
  assert.equal(rows.slice(0, 10), [
    ['note'],
    ['edit', 'view', 'any other action'],
    ['admin', 'if [1]', 'allowed', 'allowed'],
    ['user', 'if [2]', 'allowed', '–'],
    ['guest:*', '–', 'allowed', '–'],
    ['principal alice as admin', 'allowed', 'allowed', 'allowed'],
    ['principal alice as user', 'allowed', 'allowed', '–'],
    ['principal alice as guest:*', 'allowed', 'allowed', '–'],
    ['principal alice as any other role', 'allowed', '–', '–'],
    ['[1] not (R.attr.locked == true)'],
  ]);
  assert.match(stdout, '  [2] owner and not (R.attr.locked == true)\n');
  assert.match(stdout, /^owner {2}R\.attr\.owner == P\.id {2}policies\/roles\.yaml:5$/m);
});

test('flags narrow it, and nothing left is an error', async () => {
  const { stdout } = await authzc(FILES, 'matrix', '--role', 'us*', '--action', 'edit', '--kind', 'n*', '--scope', '');
  assert.equal(
    stdout
      .split('\n')
      .map((line) => line.trim().split(/\s{2,}/))
      .slice(0, 4),
    [['note'], ['edit'], ['user', 'if [1]'], ['principal alice', 'allowed']],
  );
  const none = await authzc(FILES, 'matrix', '--kind', 'x');
  assert.equal([none.code, none.stdout], [1, '']);
  assert.match(none.stderr, /^authzc: no policy covers kind `x`; `authzc inspect` lists the names\n$/);
});

test('Markdown, HTML and JSON say the same', async () => {
  const { stdout: markdown } = await authzc(FILES, 'matrix', '-o', 'markdown');
  assert.match(markdown, '| user | if (2) | allowed | – |');
  assert.match(markdown, '2. `owner and not (R.attr.locked == true)`');
  const { stdout: html } = await authzc(FILES, 'matrix', '-o', 'html');
  assert.match(html, '<tr><th>user<td class="condition" title="owner and not (R.attr.locked == true)">if (2)');
  assert.not.match(html, /<script|https?:|src=/);
  const { stdout: json } = await authzc(FILES, 'matrix', '-o', 'json');
  const { tables } = JSON.parse(json) as {
    readonly tables: readonly { readonly rows: readonly { readonly role: unknown; readonly cells: unknown }[] }[];
  };
  assert.equal(tables[0]?.rows[1], {
    principal: null,
    role: { label: 'user', example: 'user' },
    cells: [
      { answer: 'condition', condition: 'owner and not (R.attr.locked == true)' },
      { answer: 'allowed' },
      { answer: 'denied' },
    ],
  });
});

test('who-can lists who may do one action, also one that no rule names', async () => {
  const { code, stdout } = await authzc(FILES, 'who-can', '--kind', 'note', '--action', 'edit');
  assert.is(code, 0);
  assert.match(stdout, /^note {3}edit\n {2}admin +if not \(R\.attr\.locked == true\)\n {2}user +if owner and not/);
  const other = await authzc(FILES, 'who-can', '--kind', 'note', '--action', 'shred', '-o', 'json');
  const { answers } = JSON.parse(other.stdout) as { readonly answers: readonly { readonly role: { label: string } }[] };
  assert.equal(
    answers.map(({ role }) => role.label),
    ['admin'],
  );
  const none = await authzc(
    { 'policies/note.yaml': NOTE.replace('["*"]', '[x]'), 'policies/roles.yaml': ROLES },
    'who-can',
    '--kind',
    'note',
    '--action',
    'shred',
  );
  assert.is(none.stdout, 'note   shred\n  nobody\n');
  const typo = await authzc(FILES, 'who-can', '--kind', 'nots', '--action', 'edit');
  assert.equal(typo, { code: 1, stdout: '', stderr: 'authzc: no policy covers kind `nots`: did you mean `note`?\n' });
});

test('who-can of one resource evaluates the parts of conditions that it decides', async () => {
  const note = NOTE.replace('R.attr.locked == true', 'R.attr.locked == true && P.attr.level < R.attr.level');
  const files = {
    'policies/note.yaml': note,
    'policies/roles.yaml': ROLES,
    'open.yaml': 'kind: note\nid: n1\nattr: {owner: bob, level: 3}\n',
    'locked.yaml': 'kind: note\nid: n1\nattr: {owner: bob, level: 3, locked: true}\n',
    'elsewhere.yaml': 'kind: note\nid: n1\nscope: acme\n',
  };
  const rowsOf = async (file: string): Promise<readonly string[]> => {
    const { stdout } = await authzc(files, 'who-can', '--resource', file, '--action', 'edit');
    return (stdout.split('\n\n')[0] as string).split('\n').map((line) => line.trim().replace(/ {2,}/, '  '));
  };
  assert.equal(await rowsOf('open.yaml'), ['note  edit', 'admin  allowed', 'user  if owner']);
  assert.equal(await rowsOf('locked.yaml'), [
    'note  edit',
    'admin  if not (P.attr.level < R.attr.level)',
    'user  if owner and not (P.attr.level < R.attr.level)',
  ]);
  const elsewhere = await authzc(files, 'who-can', '--resource', 'elsewhere.yaml', '--action', 'edit');
  assert.equal([elsewhere.code, elsewhere.stdout], [1, '']);
  assert.match(elsewhere.stderr, 'no policy covers kind `note` in scope `acme`');
});

test('who-can of one id decides conditions about the id alone', async () => {
  const files = {
    'policies/note.yaml': NOTE.replace('R.attr.locked == true', 'R.id == "root" || R.attr.locked == true')
      .replace('- {actions: ["*"], effect: EFFECT_ALLOW, roles: [admin]}', '')
      .replace('importDerivedRoles: [note_roles]', '')
      .replace('derivedRoles: [owner]', 'roles: ["*"]'),
  };
  const who = ['who-can', '--kind', 'note', '--action', 'edit'];
  assert.is((await authzc(files, ...who, '--id', 'root')).stdout, 'note   edit\n  nobody\n');
  const { stdout } = await authzc(files, ...who, '--id', 'n1');
  assert.match(stdout, 'if not (R.attr.locked == true)\n');
  assert.not.match(stdout, 'R.id');
});

test('who-can needs a kind or a resource', async () => {
  const neither = await authzc(FILES, 'who-can', '--action', 'edit');
  assert.equal([neither.code, neither.stdout], [2, '']);
  assert.match(neither.stderr, '`--kind KIND` or `--resource FILE`');
  const both = await authzc(FILES, 'who-can', '--action', 'edit', '--kind', 'note', '--resource', 'x.yaml');
  assert.is(both.code, 2);
});

test('names and conditions of policies are text', async () => {
  const hostile = NOTE.replace('roles: [user, "guest:*"]', 'roles: [user, "<b>|\\u202e`@x"]').replace(
    'R.attr.locked == true',
    'R.attr.locked == "<script>|`@everyone"',
  );
  const files = { 'policies/note.yaml': hostile, 'policies/roles.yaml': ROLES };
  for (const format of ['pretty', 'markdown', 'html', 'json']) {
    const { code, stdout } = await authzc(files, 'matrix', '-o', format);
    assert.is(code, 0);
    assert.not.match(stdout, '\u202e');
    if (format === 'html') assert.not.match(stdout, /<script>|<b>/);
    if (format === 'markdown') assert.not.match(stdout, /<script>|<b>|@|\w\|/);
  }
});

test('policies that do not compile end with 3', async () => {
  for (const words of [['matrix'], ['who-can', '--kind', 'document', '--action', 'view']]) {
    const { code, stdout, stderr } = await authzc({ 'policies/document.yaml': BROKEN_POLICY }, ...words);
    assert.equal([code, stdout], [3, '']);
    assert.match(stderr, 'expression/invalid');
  }
});

test('globs that distinguish too many kinds are an error, also of verify', async () => {
  const letters = [...'abcdefghijklmnop'];
  const rules = letters.map((letter, index) => ({
    resource: `*${letter}*${letters.at(-index - 1)}*`,
    actions: [{ action: 'view', effect: 'EFFECT_ALLOW' }],
  }));
  const files = {
    'policies/eve.yaml': JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      principalPolicy: { principal: 'eve', version: 'default', rules },
    }),
    'policies/note.yaml': NOTE,
    'policies/roles.yaml': ROLES,
    'policies/invariants.yaml': JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      invariants: { name: 'notes', statements: [{ name: 'readable', reachable: { resource: 'note' } }] },
    }),
  };
  for (const words of [['matrix'], ['who-can', '--kind', 'note', '--action', 'view'], ['verify']]) {
    const { code, stdout, stderr } = await authzc(files, ...words);
    assert.equal([code, stdout], [1, ''], words.join(' '));
    assert.is(stderr, 'authzc: too many globs of kinds in principal and role policies\n');
  }
});

test.run();

function authzc(files: { readonly [path: string]: string }, ...options: readonly string[]): Promise<Ended> {
  const folder = folderOf(files);
  folders.push(folder);
  return callAuthzc(options, folder);
}
