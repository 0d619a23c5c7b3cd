import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import { hashSync } from 'bcryptjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { AuditQuery, AuditReader } from '../../server/audit/reader.js';
import { type Listener, openListener } from '../../server/listen.js';
import { adminService } from '../../server/admin/admin.js';
import { type GrpcServer, grpcServer } from '../../server/transport/grpc/grpc-server.js';
import { type HttpServer, httpServer } from '../../server/transport/http/http-server.js';
import { send } from '../support/server/http-client.js';
import { testServices } from './services.js';
import { findMessage } from '../support/protobuf.js';
import { loopbackConfig } from '../support/server/start.js';

const test = suite('the admin API');
const CALL_ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const entry = {
  callId: CALL_ID,
  timestamp: '2020-01-01T00:00:00.000000000Z',
  peer: { address: '@' },
  method: '/authz.svc.v1.AuthzService/CheckResources',
};
let asked: AuditQuery | undefined;
let pages: readonly (readonly object[])[] = [];
const reader: AuditReader = {
  page: async (query, after) => {
    asked = query;
    const index = after === undefined ? 0 : after.id;
    const page = pages[index];
    if (page === undefined) throw new Error('the disk is gone');
    return {
      entries: page.map((one) => JSON.stringify(one)),
      next: index + 1 < pages.length ? { time: 0, id: index + 1, count: 0 } : undefined,
    };
  },
};

let http: HttpServer;
let grpc: GrpcServer;
let listeners: readonly Listener[] = [];
let address = '';
let client: Client;
test.before(async () => {
  const config = loopbackConfig();
  const services = testServices(config, {
    admin: adminService({ username: 'admin', passwordHash: hashSync('open:sesame', 4) }, reader),
  });
  grpc = grpcServer(config.server, services);
  http = httpServer(config.server, services, { grpc: async () => grpc });
  listeners = await Promise.all(
    [http, grpc].map(({ take }) =>
      openListener({ address: config.server.httpListenAddr, socketMode: 0o766, onConnection: take }),
    ),
  );
  address = listeners[0]?.address ?? '';
  client = new Client(listeners[1]?.address ?? '', credentials.createInsecure());
});
test.before.each(() => {
  asked = undefined;
  pages = [[entry]];
});
test.after(async () => {
  client.close();
  await Promise.all(listeners.map((listener) => listener.close()));
  await Promise.all([http.stop(1000), grpc.stop(1000)]);
});

const BASIC = `Basic ${Buffer.from('admin:open:sesame').toString('base64')}`;
const list = (path: string, authorization: string | undefined = BASIC) =>
  send(address, 'GET', `/admin/auditlog/list/${path}`, undefined, authorization === undefined ? {} : { authorization });

test('entries are lines of JSON', async () => {
  pages = [[entry, { ...entry, auditTrail: {} }], [entry]];
  const answer = await list('KIND_ACCESS?tail=3');
  assert.is(answer.status, 200);
  assert.is(answer.headers['content-type'], 'application/x-ndjson');
  const lines = answer.text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  assert.equal(lines, [
    { result: { accessLogEntry: entry } },
    { result: { decisionLogEntry: { ...entry, auditTrail: {} } } },
    { result: { accessLogEntry: entry } },
  ]);
  assert.equal(asked, { kind: 'access', by: 'tail', count: 3 });
});

test('without entries the response is empty and has no media type', async () => {
  pages = [[]];
  const answer = await list(`2?lookup=${CALL_ID}`);
  assert.is(answer.status, 200);
  assert.is(answer.headers['content-type'], undefined);
  assert.is(answer.text, '');
  assert.equal(asked, { kind: 'decision', by: 'lookup', callId: CALL_ID });
});

test('the query selects entries', async () => {
  await list('KIND_DECISION?between.start=2020-01-01T00:00:00Z&between.end=2020-01-01T01:00:00.5%2B01:00&pretty&x=1');
  assert.equal(asked, { kind: 'decision', by: 'between', start: 1_577_836_800_000, end: 1_577_836_800_500 });
  await list('KIND_ACCESS?since=2h');
  assert.is(asked?.by === 'between' && asked.end - asked.start, 7_200_000);
});

test('an invalid query is rejected in the form of a stream', async () => {
  const cases: readonly (readonly [string, RegExp])[] = [
    ['KIND_NOPE?tail=1', /kind/],
    ['KIND_ACCESS', /exactly one field is required in oneof/],
    ['KIND_ACCESS?tail=x', /tail/],
    ['KIND_ACCESS?tail=0', /tail/],
    ['KIND_ACCESS?tail=1001', /tail/],
    ['KIND_ACCESS?tail=1&since=1s', /exactly one field/],
    ['KIND_ACCESS?since=1', /since/],
    ['KIND_ACCESS?lookup=x', /lookup/],
    ['KIND_ACCESS?between.start=yesterday&between.end=2020-01-01T00:00:00Z', /between\.start/],
    ['KIND_ACCESS?between.start=2020-01-01T00:00:00Z', /between\.end: value is required/],
  ];
  for (const [path, message] of cases) {
    const answer = await list(path);
    assert.is(answer.status, 400, path);
    const { error } = JSON.parse(answer.text) as { error: { code: number; message: string } };
    assert.is(error.code, 3, path);
    assert.match(error.message, message);
    assert.match(answer.text, /\}\n$/);
  }
});

test('credentials are checked before anything else', async () => {
  const cases: readonly (readonly [string | undefined, string])[] = [
    ['', 'authentication required'],
    ['Bearer x', 'unsupported authentication method'],
    ['Basic !', 'failed to decode credentials'],
    ['Basic YQ==', 'invalid credentials'],
    ['Basic YWRtaW46bm9wZQ==', 'incorrect credentials'],
  ];
  for (const [authorization, message] of cases) {
    const answer = await list('KIND_NOPE', authorization);
    assert.is(answer.status, 401, message);
    assert.equal(JSON.parse(answer.text), { error: { code: 16, message } });
    assert.match(String(answer.headers['www-authenticate']), /^Basic realm=/);
  }
  const other = await send(address, 'GET', '/admin/policies', undefined, { authorization: 'Basic YWRtaW46bm9wZQ==' });
  assert.is(other.status, 401);
  assert.equal(JSON.parse(other.text), { code: 16, message: 'incorrect credentials' });
});

test('policies and schemas are not changed', async () => {
  for (const [method, path] of [
    ['POST', '/admin/policy'],
    ['DELETE', '/admin/schema?id=a'],
  ] as const) {
    const answer = await send(address, method, path, undefined, { authorization: BASIC });
    assert.is(answer.status, 501, path);
    assert.is(JSON.parse(answer.text).code, 12);
  }
});

test('policies and schemas are asked for by id', async () => {
  for (const path of ['/admin/policy', '/admin/schema']) {
    const answer = await send(address, 'GET', path, undefined, { authorization: BASIC });
    assert.is(answer.status, 400, path);
    assert.is((JSON.parse(answer.text) as { readonly code: number }).code, 3);
  }
});

test('an error after the first line is the last line', async () => {
  const original = console.error;
  console.error = () => {};
  pages = [[entry], undefined as unknown as readonly object[]];
  const lines = (await list('KIND_ACCESS?tail=3')).text.trimEnd().split('\n');
  console.error = original;
  assert.is(lines.length, 2);
  assert.is(JSON.parse(lines[1] as string).error.code, 13);
});

function stream(request: JsonValue, authorization?: string): Promise<readonly JsonValue[]> {
  const metadata = new Metadata();
  if (authorization !== undefined) metadata.set('authorization', authorization);
  const same = (bytes: Buffer): Buffer => bytes;
  const type = findMessage('authz.request.v1.ListAuditLogEntriesRequest');
  const call = client.makeServerStreamRequest(
    '/authz.svc.v1.AuthzAdminService/ListAuditLogEntries',
    same,
    same,
    Buffer.from(toBinary(type, fromJson(type, request))),
    metadata,
  );
  const entries: JsonValue[] = [];
  return new Promise((resolve, reject) => {
    call.on('data', (bytes: Buffer) =>
      entries.push(
        toJson(
          findMessage('authz.response.v1.ListAuditLogEntriesResponse'),
          fromBinary(findMessage('authz.response.v1.ListAuditLogEntriesResponse'), bytes),
        ),
      ),
    );
    call.on('end', () => resolve(entries));
    call.on('error', reject);
  });
}

test('over gRPC, entries are a stream', async () => {
  pages = [[entry], [entry]];
  const entries = (await stream({ kind: 'KIND_ACCESS', tail: 2 }, BASIC)) as unknown as readonly {
    readonly accessLogEntry: { readonly callId: string };
  }[];
  assert.equal(
    entries.map(({ accessLogEntry }) => accessLogEntry.callId),
    [CALL_ID, CALL_ID],
  );
  const failure = (request: JsonValue, authorization?: string) =>
    stream(request, authorization).then(
      () => 0,
      (error: ServiceError) => error.code,
    );
  assert.is(await failure({ kind: 'KIND_ACCESS', tail: 2 }), 16);
  assert.is(await failure({}, BASIC), 3);
});

test.run();
