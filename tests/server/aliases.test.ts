import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { hashSync } from 'bcryptjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openAuditLog } from '../../server/audit/audit-log.js';
import { loadConfig } from '../../server/config.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { compileTexts, loaded, ROOT } from '../support/compiled.js';
import { messageType } from '../support/protobuf.js';
import { send } from '../support/server/http-client.js';
import { LOOPBACK } from '../support/server/start.js';

const test = suite('aliases');

const X = {
  package: 'x',
  services: { AuthzService: 'XService', AuthzAdminService: 'XAdminService' },
  path: '/_x',
  callIdField: 'xCallId',
  propertyPrefix: 'x',
};
const BUF = join(ROOT, 'node_modules', '.bin', 'buf');
const POLICY = `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - actions: [view]
      effect: EFFECT_ALLOW
      roles: [user]
`;
const CHECK = {
  principal: { id: 'anna', roles: ['user'] },
  resources: [{ resource: { kind: 'album', id: '1' }, actions: ['view'] }],
};
const ALLOWED = { resource: { id: '1', kind: 'album' }, actions: { view: 'EFFECT_ALLOW' } };
const PLAN = { principal: CHECK.principal, resource: { kind: 'album' }, action: 'view' };
const CALL_ID = /^[0-9A-Z]{26}$/;
const ADMIN = { authorization: `Basic ${Buffer.from('admin:open sesame').toString('base64')}` };
const JSON_TYPE = { 'content-type': 'application/json' };

let folder = '';
let output = 0;
let server: RunningServer;
let plain: RunningServer;
let client: Client;
test.before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'authz-aliases-'));
  output = openSync(join(folder, 'out'), 'w');
  const bundle = await loaded(compileTexts({ 'album.yaml': POLICY }));
  const { config } = loadConfig({
    sets: [
      ...LOOPBACK,
      'server.adminAPI.enabled=true',
      'server.adminAPI.adminCredentials.username=admin',
      `server.adminAPI.adminCredentials.passwordHash=${Buffer.from(hashSync('open sesame', 4)).toString('base64')}`,
      'audit.enabled=true',
      'audit.backend=local',
      `audit.local.storagePath=${join(folder, 'audit')}`,
    ],
    environment: {},
  });
  const log = openLog({ output, errors: output, environment: {} });
  const audit = await openAuditLog(config.audit, assert.unreachable);
  server = await startServer({ ...config, server: { ...config.server, aliases: [X] } }, bundle, { log, audit });
  plain = await startServer(loadConfig({ sets: LOOPBACK, environment: {} }).config, bundle);
  client = new Client(server.grpcAddress, credentials.createInsecure());
});
test.after(async () => {
  client.close();
  await Promise.all([server.close(), plain.close()]);
  closeSync(output);
  rmSync(folder, { recursive: true, force: true });
});

test('REST answers have the call id under both names', async () => {
  for (const [path, request] of [
    ['/api/check/resources', CHECK],
    ['/api/plan/resources', PLAN],
  ] as const) {
    const answer = await post(path, request);
    assert.match(answer['authzCallId'] as string, CALL_ID);
    assert.is(answer['xCallId'], answer['authzCallId']);
    const own = await post(path, request, plain);
    assert.equal(Object.keys(own), Object.keys(answer).slice(0, -1));
  }
});

test('Connect answers under the name of the alias have its call id only', async () => {
  const { xCallId, ...rest } = await post('/x.svc.v1.XService/CheckResources', CHECK);
  assert.match(xCallId as string, CALL_ID);
  assert.equal(rest, { results: [ALLOWED] });
  const own = await post('/authz.svc.v1.AuthzService/CheckResources', CHECK);
  assert.equal(Object.keys(own), ['results', 'authzCallId']);
  for (const path of ['/x.svc.v1.XService/Nope', '/x.svc.v1.AuthzService/CheckResources', '/x.y/Z']) {
    assert.is((await send(server.httpAddress, 'POST', path, '{}', JSON_TYPE)).status, 404, path);
  }
  assert.is((await send(server.httpAddress, 'GET', '/x.svc.v1.XService/CheckResources')).status, 405);
  const broken = await send(server.httpAddress, 'POST', '/x.svc.v1.XService/CheckResources', '{', JSON_TYPE);
  assert.is(JSON.parse(broken.text).code, 'invalid_argument');
  const media = await send(server.httpAddress, 'POST', '/x.svc.v1.XService/CheckResources', '', {
    'content-type': 'text/plain',
  });
  assert.is(media.status, 415);
});

test('gRPC calls are answered under both names, on both ports', async () => {
  const request = messageType('authz.request.v1.CheckResourcesRequest').encode(CHECK);
  const overHttp = new Client(server.httpAddress, credentials.createInsecure());
  for (const name of ['authz.svc.v1.AuthzService', 'x.svc.v1.XService']) {
    for (const one of [client, overHttp]) {
      const answer = messageType('authz.response.v1.CheckResourcesResponse').decode(
        await unary(`/${name}/CheckResources`, request, one),
      ) as { readonly results: unknown };
      assert.equal(answer.results, [ALLOWED]);
    }
  }
  overHttp.close();
  const refused = await unary('/x.svc.v1.XAdminService/DeletePolicy', Buffer.alloc(0)).then(
    () => assert.unreachable(),
    (error: ServiceError) => error.code,
  );
  assert.is(refused, 16);
});

test('health knows the names of the alias, over gRPC and HTTP', async () => {
  const health = (service: string): Promise<Buffer> =>
    unary('/grpc.health.v1.Health/Check', messageType('grpc.health.v1.HealthCheckRequest').encode({ service }));
  for (const service of ['', 'authz.svc.v1.AuthzService', 'x.svc.v1.XService', 'x.svc.v1.XAdminService'])
    assert.equal(messageType('grpc.health.v1.HealthCheckResponse').decode(await health(service)), {
      status: 'SERVING',
    });
  const unknown = await health('x.svc.v1.AuthzService').then(
    () => assert.unreachable(),
    (error: ServiceError) => error.code,
  );
  assert.is(unknown, 5);
  for (const path of ['/_x/health', '/_x/health?service=x.svc.v1.XService', '/_x/live', '/_authz/health'])
    assert.is((await send(server.httpAddress, 'GET', path)).status, 200, path);
  assert.is((await send(server.httpAddress, 'GET', '/_x/health?service=nope')).status, 404);
  assert.is((await send(server.httpAddress, 'POST', '/_x/health')).status, 501);
  assert.is((await send(plain.httpAddress, 'GET', '/_x/health')).status, 404);
});

test('metrics are under both paths', async () => {
  for (const path of ['/_authz/metrics', '/_x/metrics']) {
    const { status, text } = await send(server.httpAddress, 'GET', path);
    assert.is(status, 200);
    assert.match(text, 'grpc_service="authz.svc.v1.AuthzService"');
    assert.not.match(text, 'XService');
  }
});

test('a client of reflection calls the alias by its own descriptors', async () => {
  const buf = async (...options: readonly string[]): Promise<string> =>
    (await promisify(execFile)(BUF, ['curl', '--http2-prior-knowledge', '--protocol', 'grpc', ...options])).stdout;
  const base = `http://${server.grpcAddress}`;
  const methods = await buf('--list-methods', base);
  assert.match(methods, 'x.svc.v1.XService/CheckResources\n');
  assert.match(methods, 'x.svc.v1.XAdminService/ListAuditLogEntries\n');
  assert.match(methods, 'authz.svc.v1.AuthzService/CheckResources\n');
  const answer = JSON.parse(await buf('--data', JSON.stringify(CHECK), `${base}/x.svc.v1.XService/CheckResources`));
  assert.match(answer.xCallId, CALL_ID);
  assert.equal(answer.results, [ALLOWED]);
});

test('reflection streams list the services of the alias, and the files that define them', async () => {
  const stream = client.makeBidiStreamRequest(
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    (bytes: Buffer) => bytes,
    (bytes: Buffer) => bytes.toString('latin1'),
  );
  const ask = async (field: number, text: string): Promise<string> => {
    const answered = once(stream, 'data');
    stream.write(Buffer.concat([Buffer.from([field * 8 + 2, text.length]), Buffer.from(text)]));
    return (await answered)[0] as string;
  };
  assert.match(await ask(7, '*'), 'x.svc.v1.XService');
  const files = await ask(4, 'x.svc.v1.XService');
  assert.match(files, 'x/svc/v1/svc.proto');
  assert.match(files, '.x.response.v1.CheckResourcesResponse');
  assert.match(files, 'x_call_id');
  assert.not.match(files, 'authz.svc.v1.AuthzService');
  stream.end();
});

test('AuthZEN reads properties of both prefixes, and answers with that of the request', async () => {
  const evaluation = (prefix: string): object => ({
    subject: { type: 'nobody', id: 'anna', properties: { [`${prefix}.roles`]: ['user'] } },
    resource: { type: 'album', id: '1' },
    action: { name: 'view' },
    context: { [`${prefix}.includeMeta`]: true, [`${prefix}.requestId`]: 'r1' },
  });
  for (const prefix of ['x', 'authz']) {
    const one = await post('/access/v1/evaluation', evaluation(prefix));
    const { context } = one as { readonly context: { readonly [name: string]: { readonly requestId: string } } };
    assert.is(one['decision'], true);
    assert.equal(Object.keys(context), [`${prefix}.response`]);
    assert.is(context[`${prefix}.response`]?.requestId, 'r1');
    assert.equal(await post('/access/v1/evaluations', evaluation(prefix)), one);
    const { evaluations } = await post('/access/v1/evaluations', {
      ...evaluation(prefix),
      evaluations: [{}, { action: { name: 'edit' } }],
    });
    assert.equal(
      (evaluations as readonly { readonly decision: boolean; readonly context: object }[]).map((each) => [
        each.decision,
        ...Object.keys(each.context),
      ]),
      [
        [true, `${prefix}.response`],
        [false, `${prefix}.response`],
      ],
    );
  }
  assert.equal(await post('/access/v1/evaluation', evaluation('x'), plain), { decision: false });
});

test('the audit log has our names', async () => {
  const id = (await post('/x.svc.v1.XService/CheckResources', CHECK))['xCallId'] as string;
  const { text } = await send(
    server.httpAddress,
    'GET',
    `/admin/auditlog/list/KIND_ACCESS?lookup=${id}`,
    undefined,
    ADMIN,
  );
  assert.is(JSON.parse(text).result.accessLogEntry.method, '/authz.svc.v1.AuthzService/CheckResources');
});

test.run();

async function post(path: string, body: object, to = server): Promise<{ readonly [name: string]: unknown }> {
  const { status, text } = await send(to.httpAddress, 'POST', path, JSON.stringify(body), JSON_TYPE);
  assert.is(status, 200, text);
  return JSON.parse(text) as { readonly [name: string]: unknown };
}

function unary(method: string, request: Buffer, from = client): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    from.makeUnaryRequest(
      method,
      (bytes: Buffer) => bytes,
      (bytes: Buffer) => bytes,
      request,
      (error, answer) => (error === null ? resolve(answer as Buffer) : reject(error)),
    );
  });
}
