import {
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { hashSync } from 'bcryptjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compile } from '../../compiler/compile.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { openAuditLog } from '../../server/audit/audit-log.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { S3Client } from '../../server/s3/s3-client.js';
import { loaded } from '../support/compiled.js';
import { send } from '../support/server/http-client.js';
import { S3_KEY, startS3 } from '../support/server/s3.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';
import { LAST_RESORT, until } from '../support/timeout.js';
import { loopbackConfig } from '../support/server/start.js';

const test = suite('roles of tenants in a server');

const policiesWith = (granted: string) => [
  new Source(
    'album.yaml',
    `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - {name: editors, actions: [view, edit], effect: EFFECT_ALLOW, roles: [editor], condition: {match: {expr: R.attr.locked == false}}}
    - {name: viewers, actions: [view], effect: EFFECT_ALLOW, roles: [viewer]}
`,
  ),
  new Source(
    'tenants.yaml',
    `apiVersion: api.authz.dev/v1
tenantRoles:
  scope: "tenants.*"
  grants:
    - {role: ${granted}, resources: [{resource: album, actions: ["view"]}]}
`,
  ),
];
const bundleWith = async (granted: string) => loaded(compile(policiesWith(granted), undefined, { explain: true }));

const folder = mkdtempSync(join(tmpdir(), 'authz-tenants-'));
const documents = join(folder, 'documents');
const AUDIT = join(folder, 'audit.log');
const ADMIN = `Basic ${Buffer.from('admin:open sesame').toString('base64')}`;
const AGE = 3_600_000;
/** After a failure, the source of a tenant is not asked for a second. */
const PAUSE = 1000;

/** How far the clock of the servers, which run in this process, is ahead. Documents age only when a test says so. */
let ahead = 0;
const { now } = performance;
performance.now = () => now.call(performance) + ahead;

function pass(milliseconds: number): void {
  ahead += milliseconds;
}

const LOG = join(folder, 'log');
const logFile = openSync(LOG, 'a');
const log = openLog({ output: logFile, errors: logFile, environment: {} });

let server: RunningServer;
let http: { readonly server: Server; readonly asked: string[]; answer: (tenant: string) => Answer };
let cluster: Cluster | string;
const open: RunningServer[] = [];

interface Answer {
  readonly status: number;
  readonly body?: string;
  readonly headers?: { readonly [name: string]: string };
}

async function started(source: string, ...sets: readonly string[]): Promise<RunningServer> {
  const config = loopbackConfig(
    'engine.lenientScopeSearch=true',
    `tenants.source=${source}`,
    `tenants.maxAge=${AGE}ms`,
    'tenants.timeout=60s',
    ...sets,
  );
  const audit = await openAuditLog(config.audit, (message) => assert.unreachable(message));
  const running = await startServer(config, await bundleWith('editor'), { log, audit });
  open.push(running);
  return running;
}

test.before(async () => {
  mkdirSync(documents);
  server = await started(
    documents,
    'server.adminAPI.enabled=true',
    'server.adminAPI.adminCredentials.username=admin',
    `server.adminAPI.adminCredentials.passwordHash=${Buffer.from(hashSync('open sesame', 4)).toString('base64')}`,
    'server.explain.enabled=true',
    'audit.enabled=true',
    'audit.backend=file',
    `audit.file.path=${AUDIT}`,
  );
  const asked: string[] = [];
  const listening = createServer((request, response) => {
    asked.push(
      `${request.url} ${request.headers['if-none-match'] ?? ''} ${request.headers.authorization ?? ''}`.trim(),
    );
    const { status, body, headers = {} } = http.answer(request.url?.split('/').at(-1)?.replace('.json', '') ?? '');
    response.writeHead(status, headers).end(body);
  });
  http = { server: listening, asked, answer: () => ({ status: 404 }) };
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  cluster = await startCluster();
  if (typeof cluster === 'string') skip(import.meta.url, cluster);
});
test.after(async () => {
  performance.now = now;
  await Promise.all(open.map((one) => one.close()));
  http.server.close();
  if (typeof cluster !== 'string') await cluster.stop();
  rmSync(folder, { recursive: true, force: true });
});

const document = (tenant: string, role = 'editor') => JSON.stringify({ tenant, roles: { desk: { roles: [role] } } });

function write(name: string, text: string): void {
  writeFileSync(join(folder, 'new'), text);
  renameSync(join(folder, 'new'), join(documents, name));
}

const question = (tenant: string, roles: readonly string[] = ['tenant:desk']) => ({
  principal: { id: 'ann', roles, scope: `tenants.${tenant}` },
  resource: { kind: 'album', id: 'a', scope: `tenants.${tenant}`, attr: { locked: false } },
});

/** The effect of a check, or the error. */
async function asked(tenant: string, on = server, roles?: readonly string[]): Promise<string> {
  const { principal, resource } = question(tenant, roles);
  const body = JSON.stringify({ principal, resources: [{ resource, actions: ['view'] }] });
  const { status, text } = await send(on.httpAddress, 'POST', '/api/check/resources', body);
  if (status !== 200) return `${status} ${(JSON.parse(text) as { readonly message: string }).message}`;
  const { results } = JSON.parse(text) as {
    readonly results: readonly { readonly actions: { readonly view: string } }[];
  };
  return results[0]?.actions.view ?? '';
}

async function metric(name: string): Promise<number> {
  const { text } = await send(server.httpAddress, 'GET', '/_authz/metrics');
  return Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.split(' ')[1],
  );
}

test('a document in a folder counts from the first request on, and a change after its age', async () => {
  assert.is(await asked('acme'), 'EFFECT_DENY');
  write('acme.json', document('acme'));
  pass(AGE);
  assert.is(await asked('acme'), 'EFFECT_ALLOW');
  write('acme.json', '{"tenant": "acme", "roles": {}}');
  pass(AGE);
  assert.is(await asked('acme'), 'EFFECT_DENY');
  write('yaml.yaml', 'tenant: yaml\nroles:\n  desk: {roles: [editor]}\n');
  assert.is(await asked('yaml'), 'EFFECT_ALLOW');
});

test('plans, and every form of check, know them', async () => {
  write('forms.json', document('forms'));
  const post = async (path: string, body: object, headers = {}) => {
    const { status, text } = await send(server.httpAddress, 'POST', path, JSON.stringify(body), headers);
    assert.is(status, 200, text);
    return JSON.parse(text);
  };
  const { principal, resource } = question('forms');
  const planned = { kind: resource.kind, scope: resource.scope };
  const plan = await post('/api/plan/resources', { principal, resource: planned, actions: ['view'] });
  assert.is(plan.filter.kind, 'KIND_CONDITIONAL');
  const edit = await post('/api/plan/resources', { principal, resource: planned, actions: ['view', 'edit'] });
  assert.is(edit.filter.kind, 'KIND_ALWAYS_DENIED');
  const set = { kind: 'album', scope: resource.scope, instances: { a: { attr: resource.attr } } };
  const { resourceInstances } = await post('/api/check', { principal, resource: set, actions: ['view'] });
  assert.is(resourceInstances.a.actions.view, 'EFFECT_ALLOW');
  const properties = { 'authz.roles': principal.roles, 'authz.scope': principal.scope };
  const subject = { type: 'user', id: 'ann', properties };
  const named = { type: 'album', id: 'a', properties: { ...resource.attr, 'authz.scope': resource.scope } };
  const evaluations = ['view', 'edit'].map((name) => ({ subject, resource: named, action: { name } }));
  assert.is((await post('/access/v1/evaluation', evaluations[0] ?? {})).decision, true);
  const batch = await post('/access/v1/evaluations', { evaluations });
  assert.equal(
    batch.evaluations.map(({ decision }: { readonly decision: boolean }) => decision),
    [true, false],
  );
  const search = await post('/access/v1/search/action', { subject, resource: named });
  assert.equal(
    search.results.map(({ name }: { readonly name: string }) => name),
    ['view'],
  );
});

test('an explanation names the role of the tenant, and the audit log the document', async () => {
  write('audited.json', document('audited'));
  const { principal, resource } = question('audited', ['guest', 'tenant:desk', 'tenant:other']);
  const body = JSON.stringify({ principal, resource, action: 'view' });
  const { status, text } = await send(server.httpAddress, 'POST', '/admin/explain/decision', body, {
    authorization: ADMIN,
    'content-type': 'application/json',
  });
  assert.is(status, 200, text);
  const { effect, tenantRoles, steps } = JSON.parse(text);
  assert.is(effect, 'EFFECT_ALLOW');
  assert.equal(
    tenantRoles.map(({ role, roles, tenant }: { role: string; roles: string[]; tenant: string }) => [
      role,
      roles,
      tenant,
    ]),
    [['tenant:desk', ['editor'], 'audited']],
  );
  const [{ digest }] = tenantRoles;
  assert.match(digest, /^[0-9a-f]{64}$/);
  assert.ok(steps.some(({ role }: { role: string }) => role === 'editor'));

  assert.is(await asked('audited', server, ['tenant:desk']), 'EFFECT_ALLOW');
  await asked('audited', server, ['editor']);
  const entries = () =>
    readFileSync(AUDIT, 'utf8')
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      .filter((entry) => entry.checkResources?.inputs[0]?.resource.scope === 'tenants.audited');
  await until(() => entries().length === 2, 'both decisions are in the audit log');
  assert.equal(
    entries().map(({ tenants }) => tenants),
    [[{ tenant: 'audited', digest, roles: ['tenant:desk'] }], undefined],
  );
});

test('a document that grants too much gives nothing, and is checked again with a new bundle', async () => {
  write('greedy.json', document('greedy', 'viewer'));
  const before = await metric('authz_tenant_documents_total{result="refused"}');
  assert.is(await asked('greedy'), 'EFFECT_DENY');
  await asked('greedy');
  assert.is(await metric('authz_tenant_documents_total{result="refused"}'), before + 1);
  await log.flush();
  assert.match(
    readFileSync(LOG, 'utf8'),
    'roles.desk.roles[0]: tenants may not grant the role `viewer`; they may grant editor',
  );
  await server.swap(await bundleWith('viewer'));
  assert.is(await asked('greedy'), 'EFFECT_ALLOW', 'viewers are granted now');
  write('acme.json', document('acme'));
  pass(AGE);
  assert.is(await asked('acme'), 'EFFECT_DENY', 'and editors are not');
  await server.swap(await bundleWith('editor'));
  assert.is(await asked('greedy'), 'EFFECT_DENY');
  assert.is(await asked('acme'), 'EFFECT_ALLOW');
});

test('hostile files are refused, and hostile names lead nowhere', async () => {
  writeFileSync(join(folder, 'secret.json'), document('secret'));
  write('large.json', `{"tenant": "large", "roles": {}, "x": "${'x'.repeat(70_000)}"}`);
  write('broken.json', document('broken').slice(0, -5));
  write('other.json', document('another'));
  mkdirSync(join(documents, 'folder.json'));
  symlinkSync('/dev/zero', join(documents, 'device.json'));
  for (const tenant of ['large', 'broken', 'other', 'folder', 'device'])
    assert.is(await asked(tenant), 'EFFECT_DENY', tenant);
  for (const tenant of [
    '../secret',
    '..',
    '.',
    '%2e%2e%2fsecret',
    'a/b',
    'a\\b',
    'a\0b',
    '',
    'x'.repeat(5000),
    '{tenant}',
  ])
    assert.not.match(await asked(tenant), 'ALLOW', tenant);
});

test('requests without a role of a tenant load nothing', async () => {
  const before = await metric('authz_tenants_cached');
  for (let index = 0; index < 20; index++) await asked(`unused-${index}`, server, ['viewer', 'editor']);
  assert.is(await metric('authz_tenants_cached'), before);
});

test('documents over HTTP: conditional requests, credentials, failures', async () => {
  const { port } = http.server.address() as AddressInfo;
  const secret = join(folder, 'token');
  writeFileSync(secret, 't0ken\n');
  const on = await started(
    `http://127.0.0.1:${port}/roles/{tenant}.json`,
    `tenants.http.tokenFile=${secret}`,
    'tenants.maxStale=2h',
  );
  http.answer = (tenant) => ({ status: 200, body: document(tenant), headers: { etag: '"1"' } });
  assert.is(await asked('acme', on), 'EFFECT_ALLOW');
  pass(AGE);
  http.answer = () => ({ status: 304 });
  assert.is(await asked('acme', on), 'EFFECT_ALLOW');
  assert.equal(http.asked, ['/roles/acme.json  Bearer t0ken', '/roles/acme.json "1" Bearer t0ken']);
  pass(AGE);
  http.answer = () => ({ status: 500 });
  assert.is(await asked('acme', on), 'EFFECT_ALLOW', 'the last one');
  pass(3 * AGE);
  assert.is(await asked('acme', on), '503 the roles of the tenant `acme` cannot be loaded');
  assert.is(await asked('acme', on, ['viewer']), 'EFFECT_ALLOW', 'others go on');
  for (const answer of [
    { status: 302, headers: { location: `http://127.0.0.1:${port}/elsewhere` } },
    { status: 403 },
    { status: 200, body: 'x'.repeat(70_000) },
  ] satisfies Answer[]) {
    http.answer = () => answer;
    assert.match(await asked(`t${answer.status}`, on), answer.status === 200 ? 'EFFECT_DENY' : '503');
  }
  http.answer = () => ({ status: 404 });
  assert.is(await asked('nobody', on), 'EFFECT_DENY');
  pass(PAUSE);
  http.answer = (tenant) => ({ status: 200, body: document(tenant), headers: { etag: '"2"' } });
  assert.is(await asked('acme', on), 'EFFECT_ALLOW', 'it is back');
});

test('documents in S3-compatible storage: a change, one that is too large, wrong credentials', async () => {
  const storage = await startS3({ bucket: 'roles' });
  try {
    const credentials = join(folder, 'credentials');
    const keep = (secret: string) =>
      writeFileSync(
        credentials,
        `[default]\naws_access_key_id=${S3_KEY.AWS_ACCESS_KEY_ID}\naws_secret_access_key=${secret}\n`,
      );
    keep(S3_KEY.AWS_SECRET_ACCESS_KEY);
    const { endpoint } = storage;
    const client = new S3Client({
      ...{ endpoint, region: 'us-east-1', bucket: 'roles', pathStyle: true },
      credentials: { file: credentials, profile: undefined },
      timeout: LAST_RESORT,
    });
    const put = (tenant: string, text: string) =>
      client.put(`t/${tenant}.json`, Buffer.from(text), { contentType: 'application/json' });
    const on = await started(
      's3://roles/t/{tenant}.json',
      `tenants.s3.endpoint=${endpoint}`,
      'tenants.s3.pathStyle=true',
      `tenants.s3.credentialsFile=${credentials}`,
    );
    assert.is(await asked('acme', on), 'EFFECT_DENY');
    await put('acme', document('acme'));
    pass(AGE);
    assert.is(await asked('acme', on), 'EFFECT_ALLOW');
    // The object is still the known one.
    pass(AGE);
    assert.is(await asked('acme', on), 'EFFECT_ALLOW');
    await put('acme', '{"tenant": "acme", "roles": {}}');
    pass(AGE);
    assert.is(await asked('acme', on), 'EFFECT_DENY');
    await put('large', `${document('large')}${' '.repeat(70_000)}`);
    assert.is(await asked('large', on), 'EFFECT_DENY');
    keep('wrong');
    assert.match(await asked('other', on), /^503 /);
    await client.close();
  } finally {
    await storage.close();
  }
});

test('documents in PostgreSQL: a change, a database that goes away, and names as parameters', async () => {
  if (typeof cluster === 'string') return;
  const { client, connection } = cluster;
  await client.query(
    'CREATE TABLE authz_tenants (tenant text PRIMARY KEY, version bigint NOT NULL, document jsonb NOT NULL)',
  );
  const put = (tenant: string, version: number, text: string) =>
    client.query(
      'INSERT INTO authz_tenants VALUES ($1, $2, $3) ON CONFLICT (tenant) DO UPDATE SET version = $2, document = $3',
      [tenant, version, text],
    );
  const url = `postgresql://${connection.user}@/${connection.database}?host=${connection.host}`;
  const few = ['tenants.maxStale=0s', 'tenants.postgresql.maxConnections=2'];
  const on = await started(url, ...few);
  const hurried = await started(url, 'tenants.timeout=400ms', ...few);
  await put('acme', 1, document('acme'));
  assert.is(await asked('acme', on), 'EFFECT_ALLOW');
  assert.is(await asked('nobody', on), 'EFFECT_DENY');
  await put('acme', 2, document('acme', 'owner'));
  pass(AGE);
  assert.is(await asked('acme', on), 'EFFECT_DENY');
  await put('acme', 3, document('acme'));
  pass(AGE);
  const answers = await Promise.all(Array.from({ length: 40 }, () => asked('acme', on)));
  assert.equal([...new Set(answers)], ['EFFECT_ALLOW']);

  await client.query('BEGIN');
  await client.query('LOCK TABLE authz_tenants IN ACCESS EXCLUSIVE MODE');
  assert.match(await asked('acme', hurried), '503', 'the statement has a timeout');
  await client.query('ROLLBACK');
  await client.query("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'authz'");
  // A busy machine may take longer than the hurried one allows.
  for (const one of [on, hurried])
    await until(async () => {
      pass(AGE);
      return (await asked('acme', one)) === 'EFFECT_ALLOW';
    }, 'connections are opened again');
});

test.run();
