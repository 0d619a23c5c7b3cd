import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReplayReport } from '../../packages/analysis/replay/report.js';
import { callAuthzc } from '../support/cli/call-authzc.js';
import { type Ended, folderOf, launch, PROGRAMS, stop } from '../support/cli/programs.js';
import { send } from '../support/server/http-client.js';

const test = suite('--tenants of commands');
const folders: string[] = [];
test.after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const FILES = {
  'policies/album.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - {name: editors, actions: [view, edit], effect: EFFECT_ALLOW, roles: [editor], condition: {match: {expr: R.attr.locked == false}}}
    - {name: viewers, actions: [view, list], effect: EFFECT_ALLOW, roles: [viewer]}
    - {name: anyone, actions: [help], effect: EFFECT_ALLOW, roles: ["*"]}
`,
  'policies/tenants.yaml': `apiVersion: api.authz.dev/v1
tenantRoles:
  scope: "tenants.*"
  grants:
    - {role: editor, resources: [{resource: album, actions: [view, edit]}]}
    - {role: viewer, resources: [{resource: album, actions: [list, view]}]}
`,
  'tenants/acme.json': '{"tenant": "acme", "roles": {"desk": {"roles": ["editor"]}, "guest": {"roles": ["viewer"]}}}',
  'tenants/globex.yaml': 'tenant: globex\nroles: {desk: {roles: [viewer]}}\n',
  'tenants/evil.json': '{"tenant": "evil", "roles": {"desk": {"roles": ["owner"]}}}',
  'tenants/torn.json': '{"tenant": "torn", ',
  'ann.yaml': 'id: ann\nroles: [tenant:desk]\nscope: tenants.acme\n',
  'album.yaml': 'kind: album\nid: a1\nscope: tenants.acme\nattr: {locked: false}\n',
  '.authz.yaml': 'vocabulary:\n  roles: [editor, viewer]\n  actions: [view, edit, list, help]\n',
};

const newFolder = (files: { readonly [path: string]: string } = {}): string => {
  const folder = folderOf({ ...FILES, ...files });
  folders.push(folder);
  return folder;
};
const authzc = (folder: string, ...words: readonly string[]): Promise<Ended> => callAuthzc(words, folder);

const TENANTS = ['--tenants', 'tenants', '--lenient-scope-search'];
const ASKED = ['--principal', 'ann.yaml', '--resource', 'album.yaml'];
const ACTIONS = ['view', 'edit', 'list', 'help'];

test('check decides with the roles that a document of a folder, or a document alone, defines', async () => {
  const folder = newFolder();
  const actions = ACTIONS.flatMap((action) => ['--action', action]);
  const decided = `view: EFFECT_ALLOW by resource.album.vdefault
edit: EFFECT_ALLOW by resource.album.vdefault
list: EFFECT_DENY by resource.album.vdefault
help: EFFECT_DENY by resource.album.vdefault
`;
  for (const path of ['tenants', 'tenants/acme.json']) {
    const ended = await authzc(folder, 'check', ...ASKED, ...actions, '--tenants', path, '--lenient-scope-search');
    assert.equal(ended, { code: 0, stdout: decided, stderr: '' });
  }
});

test('roles of tenants that give nothing are named, and why', async () => {
  const folder = newFolder({
    'bob.yaml': 'id: bob\nroles: [tenant:desk, viewer]\n',
    'eve.yaml': 'id: eve\nroles: [tenant:desk]\nscope: tenants.evil\n',
    'tom.yaml': 'id: tom\nroles: [tenant:desk]\nscope: tenants.torn\n',
    'zoe.yaml': 'id: zoe\nroles: [tenant:chief]\nscope: tenants.acme.hr\n',
  });
  const warnings = async (principal: string, ...flags: readonly string[]) => {
    const words = ['check', '--principal', principal, '--resource', 'album.yaml', '--action', 'edit'];
    const { stdout, stderr } = await authzc(folder, ...words, '--lenient-scope-search', ...flags);
    assert.match(stdout, /^edit: EFFECT_DENY/);
    return stderr.trimEnd();
  };
  assert.is(
    await warnings('ann.yaml'),
    'warning: role `tenant:desk` grants nothing: name the document of tenant `acme` with `--tenants`',
  );
  assert.is(
    await warnings('bob.yaml', ...TENANTS),
    'warning: role `tenant:desk` grants nothing: the scope of `bob` is not a tenant below `tenants`',
  );
  assert.is(
    await warnings('zoe.yaml', ...TENANTS),
    'warning: role `tenant:chief` grants nothing: tenant `acme` does not define it in `tenants`',
  );
  assert.is(
    await warnings('eve.yaml', ...TENANTS),
    'warning: the roles of tenant `evil` are rejected and grant nothing: roles.desk.roles[0]: tenants may not grant the role `owner`; they may grant editor, viewer',
  );
  assert.match(
    await warnings('tom.yaml', ...TENANTS),
    /^warning: the roles of tenant `torn` are rejected and grant nothing: the document is neither JSON nor YAML: [^\n]+$/,
  );
});

test('a path that cannot be read is an error, and one that policies do not need a warning', async () => {
  const folder = newFolder({ 'list.json': '[]\n', 'text.json': 'acme\n' });
  const check = (...flags: readonly string[]) => authzc(folder, 'check', ...ASKED, '--action', 'view', ...flags);
  const missing = await check('--tenants', 'nowhere');
  assert.is(missing.code, 1);
  assert.is(missing.stderr, 'nowhere: error: file not found\n');
  const text = await check('--tenants', 'text.json');
  assert.is(text.code, 2);
  assert.is(text.stderr, 'text.json: error: the document must be an object\n');
  rmSync(join(folder, 'policies/tenants.yaml'));
  const { stderr } = await check('--tenants', 'tenants');
  assert.match(stderr, 'warning: `--tenants` has no effect: the policies have no document of `tenantRoles`\n');
});

test('explanations are of the roles that decide, and name those of the tenant', async () => {
  const folder = newFolder();
  const explain = (action: string, ...flags: readonly string[]) =>
    authzc(folder, 'explain', ...ASKED, '--action', action, '--near', '0', ...TENANTS, ...flags);
  const allowed = await explain('edit');
  assert.is(allowed.stderr, '');
  assert.is(
    allowed.stdout,
    `ALLOW  ann may edit album a1: editors applies
tenant:desk of tenant acme stands for editor
as editor
  root scope  resource.album.vdefault
    ✔ editors  ALLOW  policies/album.yaml:6:7
      ✔ R.attr.locked == false  policies/album.yaml:6:111  false == false
`,
  );
  assert.match((await explain('list')).stdout, /^DENY .*\ntenant:desk of tenant acme stands for no role\n/);
  const { tenantRoles } = JSON.parse((await explain('edit', '-o', 'json')).stdout);
  assert.equal(
    tenantRoles.map(({ digest: _, ...role }: { readonly digest: string }) => role),
    [{ role: 'tenant:desk', roles: ['editor'], tenant: 'acme' }],
  );
  assert.match(tenantRoles[0].digest, /^[0-9a-f]{64}$/);
  const checked = await authzc(folder, 'check', ...ASKED, '--action', 'edit', '--explain', ...TENANTS);
  assert.match(checked.stdout, /^edit: EFFECT_ALLOW .*\n\nALLOW .*\ntenant:desk of tenant acme stands for editor\n/);
});

test('plans are of the roles that decide, also where no SQL can be written', async () => {
  const folder = newFolder({
    'tables.yaml': 'tables: {album: {name: albums, columns: {owner: {column: owner, type: text}}}}\n',
  });
  const plan = (action: string, ...flags: readonly string[]) =>
    authzc(
      folder,
      'plan',
      '--principal',
      'ann.yaml',
      '--kind',
      'album',
      '--scope',
      'tenants.acme',
      '--action',
      action,
      ...TENANTS,
      ...flags,
    );
  assert.is((await plan('edit')).stdout, 'KIND_CONDITIONAL\n  eq request.resource.attr.locked false\n');
  assert.is((await plan('list')).stdout, 'KIND_ALWAYS_DENIED\n');
  const refused = await plan('edit', '-o', 'sql', '--table', 'tables.yaml');
  assert.is(refused.code, 1);
  assert.match(
    refused.stderr,
    /^policies\/album\.yaml:6:7: error: .*\(rule `editors` of resource\.album\.vdefault\)\n$/,
  );
});

test('authzc diff fails for a grant that is added as for a decision that is widened', async () => {
  const folder = newFolder();
  const wider = FILES['policies/tenants.yaml'].replace('actions: [list, view]', 'actions: [list, view, help]');
  mkdirSync(join(folder, 'new'));
  writeFileSync(join(folder, 'new/album.yaml'), FILES['policies/album.yaml']);
  writeFileSync(join(folder, 'new/tenants.yaml'), wider);
  const diff = (old: string, new_: string, failOn: string) =>
    authzc(folder, 'diff', old, new_, '--no-solver', '--fail-on', failOn, '-o', 'list');
  const added = await diff('policies', 'new', 'widened');
  assert.is(added.code, 1);
  assert.match(added.stdout, /^grant: added role=viewer kind=album actions=help /m);
  assert.is((await diff('policies', 'new', 'narrowed')).code, 0);
  assert.is((await diff('new', 'policies', 'widened')).code, 0);
  assert.is((await diff('new', 'policies', 'narrowed')).code, 1);
});

test('commands decide and replay what a server with the same documents decides', async () => {
  const folder = newFolder();
  assert.is((await authzc(folder, 'compile', '--bundle', 'policies.js')).code, 0);
  const sets = [
    'server.httpListenAddr=127.0.0.1:0',
    'server.grpcListenAddr=127.0.0.1:0',
    'engine.lenientScopeSearch=true',
  ];
  const audit = ['tenants.source=tenants', 'audit.enabled=true', 'audit.backend=file', 'audit.file.path=audit.log'];
  const flags = [...sets, ...audit].flatMap((set) => ['--set', set]);
  const server = launch(PROGRAMS.server, ['--bundle', 'policies.js', ...flags], folder);
  const principals = [
    { id: 'ann', roles: ['tenant:desk'], scope: 'tenants.acme' },
    { id: 'ben', roles: ['viewer', 'tenant:guest', 'tenant:none'], scope: 'tenants.acme.hr' },
    { id: 'cai', roles: ['tenant:desk'], scope: 'tenants.globex' },
    { id: 'eve', roles: ['tenant:desk'], scope: 'tenants.evil' },
    {
      id: 'joe',
      roles: ['editor'],
      scope: 'tenants.acme',
      actors: [{ id: 'ann', roles: ['tenant:guest'], scope: 'tenants.acme' }],
    },
  ];
  const resources = [
    { kind: 'album', id: 'a1', scope: 'tenants.acme', attr: { locked: false } },
    { kind: 'album', id: 'a2', scope: 'tenants.globex', attr: { locked: false } },
  ];
  let compared = 0;
  try {
    const [, address = ''] = /http:\/\/([^\s,]+)/.exec(await server.firstLine) ?? [];
    for (const principal of principals)
      for (const resource of resources) {
        const body = { principal, resources: [{ resource, actions: ACTIONS }] };
        const { text } = await send(address, 'POST', '/api/check/resources', JSON.stringify(body));
        writeFileSync(join(folder, 'principal.json'), JSON.stringify(principal));
        writeFileSync(join(folder, 'resource.json'), JSON.stringify(resource));
        const words = [
          'check',
          '--principal',
          'principal.json',
          '--resource',
          'resource.json',
          '-o',
          'json',
          ...TENANTS,
        ];
        const { stdout } = await authzc(folder, ...words, ...ACTIONS.flatMap((action) => ['--action', action]));
        const { actions } = JSON.parse(stdout) as {
          readonly actions: readonly { readonly action: string; readonly effect: string }[];
        };
        const own = Object.fromEntries(actions.map(({ action, effect }) => [action, effect]));
        assert.equal(own, JSON.parse(text).results[0].actions, `${principal.id} ${resource.id}`);
        compared += actions.length;
      }
  } finally {
    await stop(server);
  }
  assert.is(compared, 40);

  const replay = async (...words: readonly string[]): Promise<ReplayReport> => {
    const log = ['replay', 'audit.log', '--against', 'policies', '--lenient-scope-search', '-o', 'json'];
    return JSON.parse((await authzc(folder, ...log, ...words)).stdout);
  };
  const same = await replay('--tenants', 'tenants');
  assert.equal(same.decisions, { replayed: 40, unchanged: 40, widened: 0, narrowed: 0 });
  assert.is(same.otherDocuments, 0);

  const without = await replay();
  assert.is(without.notReplayed.withoutTenants, 10);
  assert.is(without.decisions.replayed, 0);

  writeFileSync(join(folder, 'tenants/acme.json'), '{"tenant": "acme", "roles": {"desk": {"roles": ["viewer"]}}}');
  const later = await replay('--tenants', 'tenants');
  assert.is(later.otherDocuments, 6);
  assert.equal(
    later.flips.map(({ action, roles, change, count }) => [action, roles.join(), change, count]),
    [
      ['edit', 'tenant:desk', 'narrowed', 1],
      ['list', 'tenant:desk', 'widened', 1],
      ['view', 'editor', 'narrowed', 1],
    ],
  );
});

test.run();
