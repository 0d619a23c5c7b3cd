import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ReplayReport } from '../../packages/analysis/replay/report.js';
import { isInCanary } from '../../server/swap/canary.js';
import { PROGRAMS, run } from '../support/cli/programs.js';
import { send } from '../support/server/http-client.js';
import { discard, remove, type Server, startProgram } from '../support/workers/server.js';
import { until } from '../support/timeout.js';
import { ADMIN_SETS, compileBundle, rollout, type TestBundle } from './served.js';

/** Candidates for principals with roles of tenants: what their policies let tenants grant decides, and nothing else. */
const test = suite('candidates and roles of tenants');

const folder = mkdtempSync(join(tmpdir(), 'authz-rollout-tenants-'));
const servers: Server[] = [];
test.after.each(() => discard(servers));
test.after(() => remove(folder));

/** In all bundles the same. */
const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: document
  version: default
  rules:
    - {name: editors, actions: [view, edit], effect: EFFECT_ALLOW, roles: [editor]}
    - {name: viewers, actions: [view], effect: EFFECT_ALLOW, roles: [viewer]}
`;
const granting = (name: string, role: string, actions: string): TestBundle =>
  compileBundle(folder, name, POLICY, {
    'tenants.yaml': `apiVersion: api.authz.dev/v1
tenantRoles:
  scope: "tenants.*"
  grants:
    - {role: ${role}, resources: [{resource: document, actions: ${actions}}]}
`,
  });
const none = compileBundle(folder, 'none', POLICY);
const view = granting('view', 'editor', '[view]');
const edit = granting('edit', 'editor', '[view, edit]');
/** Tenants may no longer give the role that the document of the tenant names. */
const other = granting('other', 'viewer', '[view]');

const documents = join(folder, 'documents');
mkdirSync(documents);
writeFileSync(join(documents, 'acme.json'), '{"tenant": "acme", "roles": {"desk": {"roles": ["editor"]}}}');

interface Tried extends Server {
  readonly differences: string;
}

let started = 0;
async function start(current: TestBundle, candidate: TestBundle, ...sets: readonly string[]): Promise<Tried> {
  const file = join(folder, `candidate-${started}.js`);
  const differences = join(folder, `differences-${started++}.log`);
  writeFileSync(file, candidate.text);
  const server = await startProgram(folder, current.text, [
    ...ADMIN_SETS,
    `bundle.rollout.candidate=${file}`,
    'bundle.rollout.id=fixed',
    'bundle.rollout.rate=1',
    `bundle.rollout.log=${differences}`,
    `tenants.source=${documents}`,
    'engine.lenientScopeSearch=true',
    ...sets,
  ]);
  servers.push(server);
  await until(async () => (await rollout(server, 'rollout')).state.candidate?.hash === candidate.hash, 'a candidate');
  return { ...server, differences };
}

/** What is decided about the actions `view` and `edit`, and the hash of the bundle that decided. */
async function ask({ http }: Server, id: string, roles: readonly string[] = ['tenant:desk']): Promise<string> {
  const body = {
    principal: { id, roles: ['user', ...roles], scope: 'tenants.acme' },
    resources: [{ resource: { kind: 'document', id: 'd1', scope: 'tenants.acme' }, actions: ['view', 'edit'] }],
  };
  const { status, headers, text } = await send(http, 'POST', '/api/check/resources', JSON.stringify(body));
  assert.is(status, 200, text);
  const { actions } = JSON.parse(text).results[0] as { readonly actions: { readonly [action: string]: string } };
  const allowed = Object.keys(actions).filter((action) => actions[action] === 'EFFECT_ALLOW');
  return `${allowed.sort().join(' ')} by ${headers['authz-bundle-hash']}`;
}

const metric = async ({ http }: Server, series: string): Promise<number> => {
  const { text } = await send(http, 'GET', '/_authz/metrics');
  const line = text.split('\n').find((one) => one.startsWith(`${series} `));
  return Number(line?.slice(series.length + 1) ?? 0);
};
const differences = (action: string, change: string): string =>
  `authz_rollout_differences_total{call="check",kind="document",action="${action}",change="${change}"}`;
const compared = (result: string): string => `authz_rollout_compared_total{result="${result}"}`;

const inCanary = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].find((id) => isInCanary('fixed', 50, id)) as string;
const outside = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].find((id) => !isInCanary('fixed', 50, id)) as string;

for (const workers of [1, 2])
  test(`${workers} processes: a canary decides by what the candidate lets tenants grant`, async () => {
    const server = await start(view, edit, `server.workers=${workers}`);
    assert.is(await ask(server, inCanary), `view by ${view.hash}`);
    await rollout(server, 'rollout', { stage: 'STAGE_CANARY', percent: 50 });
    for (let round = 0; round < 4; round++) {
      assert.is(await ask(server, inCanary), `edit view by ${edit.hash}`);
      assert.is(await ask(server, outside), `view by ${view.hash}`);
      assert.is(await ask(server, inCanary, []), ` by ${edit.hash}`);
    }
    await rollout(server, 'promote', {});
    assert.is(await ask(server, outside), `edit view by ${edit.hash}`);
  });

test('a shadow counts and logs differences that only a role of a tenant shows', async () => {
  const server = await start(view, edit);
  assert.is(await ask(server, 'ann', ['editor']), `edit view by ${view.hash}`);
  assert.is(await ask(server, 'ann', ['tenant:none']), ` by ${view.hash}`);
  await until(async () => (await metric(server, compared('same'))) === 2, 'equal answers');
  assert.is(await ask(server, 'ann'), `view by ${view.hash}`);
  await until(async () => (await metric(server, differences('edit', 'deny_to_allow'))) === 1, 'a difference');
  assert.is(await metric(server, compared('different')), 1);

  const words = [
    'replay',
    server.differences,
    '--against',
    join(folder, 'edit'),
    '--lenient-scope-search',
    '-o',
    'json',
  ];
  const replay = async (...more: readonly string[]): Promise<ReplayReport> =>
    JSON.parse((await run(PROGRAMS.authzc, [...words, ...more], folder)).stdout);
  assert.equal((await replay('--tenants', documents)).decisions, {
    replayed: 2,
    unchanged: 1,
    widened: 1,
    narrowed: 0,
  });
  assert.is((await replay()).notReplayed.withoutTenants, 1);
});

test('a shadow asks for documents that only the candidate needs', async () => {
  const server = await start(none, view);
  assert.is(await ask(server, 'ann'), ` by ${none.hash}`);
  await until(async () => (await metric(server, differences('view', 'deny_to_allow'))) === 1, 'a difference');
  assert.is(await metric(server, 'authz_tenant_documents_total{result="loaded"}'), 1);
});

test('a shadow that cannot have a document compares nothing, and delays no call', async () => {
  const server = await start(none, view, 'tenants.source=http://127.0.0.1:9/{tenant}.json');
  assert.is(await ask(server, 'ann'), ` by ${none.hash}`);
  await until(async () => (await metric(server, compared('dropped'))) === 1, 'a call that is not compared');
  assert.is(await metric(server, compared('different')), 0);
});

test('a role that the candidate no longer lets tenants give has no effect there, and the log says why', async () => {
  const server = await start(view, other);
  assert.is(await ask(server, 'ann'), `view by ${view.hash}`);
  await until(async () => (await metric(server, differences('view', 'allow_to_deny'))) === 1, 'a difference');
  const reason = 'roles.desk.roles[0]: tenants may not grant the role `editor`; they may grant viewer';
  const told = (message: string, fields: object): boolean =>
    server
      .log()
      .some((line) => line.message === message && Object.entries(fields).every(([key, value]) => line[key] === value));
  await until(() => told('the candidate refuses the roles of a tenant', { tenant: 'acme', reason }), 'a refusal');

  await rollout(server, 'rollout', { stage: 'STAGE_CANARY', percent: 50 });
  assert.is(await ask(server, inCanary), ` by ${other.hash}`);
  assert.is(await ask(server, inCanary, ['editor', 'tenant:desk']), `edit view by ${other.hash}`);
  assert.is(await ask(server, outside), `view by ${view.hash}`);
  await until(
    () => told('the roles of a tenant are rejected and grant nothing', { tenant: 'acme', reason, bundle: other.hash }),
    'a refusal by the canary',
  );
  await rollout(server, 'roll_back', {});
  assert.is(await ask(server, inCanary), `view by ${view.hash}`);
});

test.run();
