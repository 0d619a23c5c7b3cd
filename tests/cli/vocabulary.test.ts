import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { folderOf } from '../support/cli/programs.js';

const test = suite('the vocabulary of a project');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const PROJECT = `server: {httpListenAddr: "\${NOT_SET_HERE}"}
vocabulary:
  roles: [user, admin, "acme:admin"]
  actions: [view, edit, "comment:add"]
`;
const DOCUMENTS = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  importDerivedRoles: [people]
  rules:
    - {actions: [view, "comment:*", "*"], effect: EFFECT_ALLOW, roles: [user, "acme:*", "*"]}
    - {actions: [edit], effect: EFFECT_ALLOW, derivedRoles: [owner]}
`;
const PEOPLE = `apiVersion: api.authz.dev/v1
derivedRoles:
  name: people
  definitions: [{name: owner, parentRoles: [user], condition: {match: {expr: R.attr.owner == P.id}}}]
`;
const ROLE = `apiVersion: api.authz.dev/v1
rolePolicy:
  role: admin
  parentRoles: [user]
  rules: [{resource: document, allowActions: ["view", "{edit,comment:add}"]}]
`;
const PRINCIPAL = `apiVersion: api.authz.dev/v1
principalPolicy:
  principal: ann
  version: default
  rules: [{resource: document, actions: [{action: edit, effect: EFFECT_DENY}]}]
`;
const SUITE = `name: documents
principals:
  ann: {id: ann, roles: [user]}
resources: {one: {kind: document, id: d1}}
tests:
  - name: users view
    input: {principals: [ann], resources: [one], actions: [view]}
    expected: [{principal: ann, resource: one, actions: {view: EFFECT_ALLOW}}]
`;
const FILES = {
  '.authz.yaml': PROJECT,
  'policies/document.yaml': DOCUMENTS,
  'policies/people.yaml': PEOPLE,
  'policies/admin.yaml': ROLE,
  'policies/ann.yaml': PRINCIPAL,
  'policies/document_test.yaml': SUITE,
  'ann.yaml': 'id: ann\nroles: [usr]\n',
  'one.yaml': 'kind: document\nid: d1\n',
};
type Files = Readonly<Record<string, string>>;

test('declared words compile, as do globs that match one; other keys of the file are not read', async () => {
  const { code, stdout, stderr } = await authzc({}, 'test');
  assert.equal([code, stderr], [0, ''], stdout);
});

const UNDECLARED: readonly (readonly [path: string, from: string, to: string, message: RegExp])[] = [
  [
    'document',
    '[view, "c',
    '[veiw, "c',
    /document\.yaml:7:\d+: .*action `veiw` is not declared[\s\S]*did you mean `view`/,
  ],
  ['document', '"comment:*"', '"coment:*"', /action `coment:\*` is not declared/],
  ['document', '[user, "acme', '[usr, "acme', /role `usr` is not declared[\s\S]*did you mean `user`/],
  ['document', '"acme:*"', '"acm:*"', /role `acm:\*` is not declared/],
  ['people', '[user]', '[usr]', /people\.yaml:4:\d+: .*role `usr`/],
  ['admin', 'role: admin', 'role: admn', /admin\.yaml:3:\d+: .*role `admn`/],
  ['admin', '[user]', '[usr]', /admin\.yaml:4:\d+: .*role `usr`/],
  ['admin', '{edit,', '{edt,', /^$/],
  ['admin', '{edit,comment:add}', 'edt', /admin\.yaml:5:\d+: .*action `edt`/],
  ['ann', 'action: edit', 'action: edti', /ann\.yaml:5:\d+: .*action `edti`/],
  ['document_test', 'roles: [user]', 'roles: [platform_admn]', /document_test\.yaml:3:26: .*role `platform_admn`/],
  ['document_test', 'actions: [view]', 'actions: [view, veiw]', /document_test\.yaml:7:\d+: .*action `veiw`/],
];

test('a word that is not declared is an error with its place, in policies and in tests', async () => {
  for (const [name, from, to, message] of UNDECLARED) {
    const path = `policies/${name}.yaml` as keyof typeof FILES;
    const changed = FILES[path].replace(from, to);
    assert.is.not(changed, FILES[path], `${name} has ${from}`);
    const { code, stdout } = await authzc({ [path]: changed }, 'test');
    if (message.source === '^$') assert.is(code, 0, stdout);
    else {
      assert.is(code, 3, `${name} ${to}: ${stdout}`);
      assert.match(stdout, message);
    }
  }
});

test('compile refuses them as well, also after a compilation without a vocabulary', async () => {
  const files: Files = { ...FILES, '.authz.yaml': '', 'policies/document.yaml': DOCUMENTS.replace('[view', '[veiw') };
  const folder = newFolder(files);
  const words = ['compile', '--skip-tests', '--out', 'out', '--bundle', 'out.js'];
  assert.is((await callAuthzc(words, folder)).code, 0);
  writeFileSync(join(folder, '.authz.yaml'), PROJECT);
  const { code, stdout } = await callAuthzc(words, folder);
  assert.is(code, 3);
  assert.match(stdout, 'error[vocabulary/undeclared-action]: action `veiw` is not declared in the vocabulary');
});

test('check, plan and explain warn of words of the request', async () => {
  const folder = newFolder(FILES);
  const request = ['--principal', 'ann.yaml', '--action', 'veiw'];
  for (const words of [
    ['check', ...request, '--resource', 'one.yaml'],
    ['explain', ...request, '--resource', 'one.yaml'],
    ['plan', ...request, '--kind', 'document'],
  ]) {
    const { code, stderr } = await callAuthzc(words, folder);
    assert.is(code, 0, stderr);
    assert.match(stderr, 'warning: role `usr` is not declared in the vocabulary: did you mean `user`?');
    assert.match(stderr, 'warning: action `veiw` is not declared in the vocabulary: did you mean `view`?');
  }
});

test('a malformed vocabulary is refused', async () => {
  const { code, stderr } = await authzc({ '.authz.yaml': 'vocabulary: {role: [a]}' }, 'test');
  assert.equal([code, stderr], [1, 'authzc: .authz.yaml: vocabulary.role: must be one of: roles, actions\n']);
  const list = await authzc({ '.authz.yaml': 'vocabulary: {roles: admin}' }, 'test');
  assert.is(list.stderr, 'authzc: .authz.yaml: vocabulary.roles: must be a list of strings\n');
});

test.run();

function newFolder(files: Files): string {
  const folder = folderOf(files);
  folders.push(folder);
  return folder;
}

function authzc(files: Files, ...words: readonly string[]) {
  return callAuthzc(words, newFolder({ ...FILES, ...files }));
}
