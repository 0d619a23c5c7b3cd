import { fromJson, type JsonValue, toBinary } from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListeningServer } from '../../server/main.js';
import type { Call } from '../../server/service/call.js';
import type { GrpcCall } from '../../server/transport/grpc/grpc-call.js';
import type { CallEnd, Checked, Planned, Watcher } from '../../server/service/watcher.js';
import { fakeDecider } from '../support/server/fake-decider.js';
import { send } from '../support/server/http-client.js';
import { start } from '../support/server/start.js';
import { findMessage } from '../support/protobuf.js';

const test = suite('watchers');

interface Seen {
  readonly call: Call;
  began: boolean;
  readonly checked: Checked[];
  readonly planned: Planned[];
  end?: CallEnd;
}

let seen: Seen[] = [];
const of = (call: Call): Seen => seen.find((one) => one.call === call) as Seen;
const watcher: Watcher = {
  began: (call) => seen.push({ call, began: true, checked: [], planned: [] }),
  checked: (call, check) => of(call).checked.push(check),
  planned: (call, plan) => of(call).planned.push(plan),
  ended: (call, end) => {
    of(call).end = end;
  },
};
const broken: Watcher = { began: fail, checked: fail, planned: fail, ended: fail };
function fail(): never {
  throw new Error('a watcher that fails');
}

let server: ListeningServer;
let client: Client;
const original = console.error;
test.before(async () => {
  console.error = () => {};
  server = await start([], fakeDecider, [broken, watcher]);
  client = new Client(server.grpcAddress, credentials.createInsecure());
});
test.before.each(() => {
  seen = [];
});
test.after(async () => {
  client.close();
  await server.close();
  console.error = original;
});

const encode = (name: string, json: JsonValue): Buffer => {
  const type = findMessage(name);
  return Buffer.from(toBinary(type, fromJson(type, json)));
};
const same = (bytes: Buffer): Buffer => bytes;
const METHOD = '/authz.svc.v1.AuthzService/CheckResources';
const check = {
  requestId: 'r1',
  principal: { id: 'a', roles: ['user'] },
  resources: [{ resource: { kind: 'contact', id: 'c1' }, actions: ['read'] }],
  requestContext: { annotations: { ticket: 7 } },
};
const plan = {
  requestId: 'r2',
  principal: { id: 'a', roles: ['user'] },
  resource: { kind: 'contact' },
  actions: ['read'],
};
const post = (path: string, body: unknown, headers: { readonly [name: string]: string } = {}) =>
  send(server.httpAddress, 'POST', path, typeof body === 'string' ? body : JSON.stringify(body), headers);

function call(method: string, bytes: Buffer, metadata = new Metadata()): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(method, same, same, bytes, metadata, (error, reply) =>
      error === null ? resolve(reply as Buffer) : reject(error),
    );
  });
}

test('a check is observed from start to end, with the call id of the response, and a failing watcher changes nothing', async () => {
  const answer = await post('/api/check/resources', check);
  const [one] = seen;
  assert.is(answer.status, 200);
  assert.is(seen.length, 1);
  assert.is(one?.call.method, METHOD);
  assert.is(one?.call.protocol, 'rest');
  assert.is(one?.call.id, JSON.parse(answer.text).authzCallId);
  assert.is(one?.checked.length, 1);
  assert.is(one?.checked[0]?.requestId, 'r1');
  assert.is(one?.checked[0]?.decisions[0]?.actions[0]?.effect, 1);
  assert.equal(one?.checked[0]?.requestContext, { annotations: { ticket: 7 } });
  assert.equal(one?.checked[0]?.auxData, { jwt: {}, jwts: {} });
  const { responseSize, requestSize, ...end } = (one as Required<Seen>).end;
  assert.equal(end, { code: undefined, message: '', httpStatus: 200, requestContext: { annotations: { ticket: 7 } } });
  assert.is(requestSize, JSON.stringify(check).length);
  assert.is(responseSize, answer.text.length);
});

test('a plan is observed', async () => {
  await post('/api/plan/resources', plan);
  assert.is(seen[0]?.planned[0]?.request.requestId, 'r2');
  assert.is(seen[0]?.planned[0]?.plan.filter.kind, 'KIND_ALWAYS_DENIED');
  assert.is(seen[0]?.call.method, '/authz.svc.v1.AuthzService/PlanResources');
});

test('an answered or refused call over gRPC holds neither its bytes nor its connection, but can be asked who called', async () => {
  const name = 'authz.request.v1.CheckResourcesRequest';
  await call(METHOD, encode(name, check));
  await call(METHOD, encode(name, {})).catch(() => {});
  assert.equal(
    seen.map(({ end }) => end?.code),
    [undefined, 'invalid_argument'],
  );
  for (const one of seen) {
    assert.equal(heldBy((one.call as GrpcCall).call), []);
    assert.match(one.call.peer().address, /^127\.0\.0\.1:/);
    assert.equal([...one.call.metadata().keys()].includes('user-agent'), true);
  }
});

/** The paths to bytes and to streams of the connection. */
function heldBy(value: object, path = '', known = new Set<object>()): string[] {
  if (known.has(value)) return [];
  known.add(value);
  if (ArrayBuffer.isView(value) || value.constructor?.name === 'ServerHttp2Stream') return [path];
  return Reflect.ownKeys(value).flatMap((key) => {
    const held = Object.getOwnPropertyDescriptor(value, key)?.value as unknown;
    return typeof held === 'object' && held !== null ? heldBy(held, `${path}.${String(key)}`, known) : [];
  });
}

test('a call that fails parsing or validation has no call id; one that a handler rejects has one, and no decision', async () => {
  await post('/api/check/resources', '{');
  await post('/api/check/resources', {});
  await post('/api/check/resources', { ...check, auxData: { jwt: { token: 'x' } } });
  assert.equal(
    seen.map(({ call }) => call.id.length),
    [0, 0, 26],
  );
  assert.equal(
    seen.map(({ end }) => [end?.code, end?.httpStatus]),
    [
      ['invalid_argument', 400],
      ['invalid_argument', 400],
      ['invalid_argument', 400],
    ],
  );
  assert.is(seen[2]?.end?.message, 'invalid auxData');
  assert.equal(
    seen.map(({ checked }) => checked.length),
    [0, 0, 0],
  );
});

test('an oversized body is a call that ended', async () => {
  const small = await start(['server.advanced.grpc.maxRecvMsgSizeBytes=1000'], fakeDecider, [watcher]);
  for (const path of ['/api/check/resources', '/api/plan/resources']) {
    const answer = await send(small.httpAddress, 'POST', path, 'x'.repeat(3000));
    assert.is(answer.status, 429);
  }
  assert.equal(
    seen.map(({ call, end }) => [call.method, end?.code, end?.httpStatus]),
    [
      [METHOD, 'resource_exhausted', 429],
      ['/authz.svc.v1.AuthzService/PlanResources', 'resource_exhausted', 429],
    ],
  );
  await small.close();
});

test('Connect, gRPC-Web and gRPC calls are observed alike', async () => {
  const bytes = encode('authz.request.v1.CheckResourcesRequest', check);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  await post(METHOD, check, { 'content-type': 'application/json' });
  await send(server.httpAddress, 'POST', METHOD, Buffer.concat([head, bytes]), {
    'content-type': 'application/grpc-web',
  });
  await call(METHOD, bytes);
  await call(METHOD, Buffer.from([0x0a])).catch(() => {});
  assert.equal(
    seen.map(({ call }) => call.protocol),
    ['connect', 'grpc-web', 'grpc', 'grpc'],
  );
  assert.equal(
    seen.map(({ end }) => end?.code),
    [undefined, undefined, undefined, 'internal'],
  );
  assert.equal(
    seen.map(({ checked }) => checked.length),
    [1, 1, 1, 0],
  );
  assert.equal(seen[2]?.end?.requestContext, { annotations: { ticket: 7 } });
  assert.is(seen[2]?.end?.requestSize, bytes.length);
});

test('health and reflection calls are not observed', async () => {
  await send(server.httpAddress, 'GET', '/_authz/health');
  await call('/grpc.health.v1.Health/Check', Buffer.alloc(0));
  assert.is(seen.length, 0);
});

test('the peer is the connected client and the one that it forwards for', async () => {
  await post('/api/check/resources', check, { 'x-forwarded-for': '10.0.0.1', 'user-agent': 'me' });
  const metadata = new Metadata();
  metadata.add('x-forwarded-for', '10.0.0.1');
  metadata.add('x-forwarded-for', '10.0.0.2');
  await call(METHOD, encode('authz.request.v1.CheckResourcesRequest', check), metadata);
  const [rest, grpc] = seen.map(({ call }) => call.peer());
  assert.match(rest?.address ?? '', /^127\.0\.0\.1:\d+$/);
  assert.equal(
    { ...rest, address: '' },
    { address: '', authInfo: '', userAgent: 'me', forwardedFor: '10.0.0.1, 127.0.0.1' },
  );
  assert.match(grpc?.address ?? '', /^127\.0\.0\.1:\d+$/);
  assert.match(grpc?.userAgent ?? '', /^grpc-node-js/);
  assert.is(grpc?.forwardedFor, '10.0.0.1, 10.0.0.2');
  assert.is(grpc?.authInfo, '');
});

test('the peer at a Unix socket is `@`', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authz-peer-'));
  const sockets = [join(folder, 'h'), join(folder, 'g')] as const;
  const local = await start(
    [`server.httpListenAddr=unix:${sockets[0]},server.grpcListenAddr=unix:${sockets[1]}`],
    fakeDecider,
    [watcher],
  );
  await new Promise((resolve, reject) => {
    httpRequest({ socketPath: sockets[0], path: '/api/server_info', agent: false }, (response) =>
      response.resume().on('end', resolve),
    )
      .on('error', reject)
      .end();
  });
  const other = new Client(`unix:${sockets[1]}`, credentials.createInsecure());
  await new Promise((resolve) =>
    other.makeUnaryRequest('/authz.svc.v1.AuthzService/ServerInfo', same, same, Buffer.alloc(0), resolve),
  );
  other.close();
  assert.equal(
    seen.map(({ call }) => [call.peer().address, call.peer().forwardedFor]),
    [
      ['@', ''],
      ['@', ''],
    ],
  );
  await local.close();
  rmSync(folder, { recursive: true });
});

test('metadata has the headers of the request, except those of the connection', async () => {
  await post('/api/check/resources', check, { 'X-Team': 'a', 'Content-Type': 'text/plain', connection: 'close' });
  const metadata = new Metadata();
  metadata.add('x-team', 'a');
  metadata.add('x-team', 'b');
  metadata.add('x-raw-bin', Buffer.from([1, 2]));
  await call(METHOD, encode('authz.request.v1.CheckResourcesRequest', check), metadata);
  const [rest, grpc] = seen.map(({ call }) => call.metadata());
  assert.equal(Object.fromEntries(rest ?? []), { 'x-team': ['a'], 'content-type': ['text/plain'] });
  // Node joins equal headers of HTTP/2.
  assert.equal(grpc?.get('x-team'), ['a, b']);
  assert.equal(grpc?.get('x-raw-bin'), ['AQI=']);
  assert.equal(
    [...(grpc?.keys() ?? [])].filter((name) => name.startsWith(':')),
    [],
  );
});

test.run();
