import { setTimeout as sleep } from 'node:timers/promises';
import { type DescMessage, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { type ConnectError, createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
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
import { findMessage, findService } from '../support/protobuf.js';
import { loopbackConfig } from '../support/server/start.js';

const test = suite('audit log entries over Connect and gRPC-Web');
const CALL_ID = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const entry = {
  callId: CALL_ID,
  timestamp: '2020-01-01T00:00:00Z',
  peer: { address: '@' },
  method: '/authz.svc.v1.AuthzService/CheckResources',
};
let asked: AuditQuery | undefined;
let pagesRead = 0;
let lastPage = 0;
const reader: AuditReader = {
  page: async (query, after) => {
    asked = query;
    pagesRead += 1;
    const id = (after?.id ?? 0) + 1;
    if (lastPage < 0 && id > -lastPage) throw new Error('the disk is gone');
    return { entries: [JSON.stringify(entry)], next: id === lastPage ? undefined : { time: 0, id, count: id } };
  },
};

interface Listening {
  readonly address: string;
  readonly stop: () => Promise<void>;
}

async function listening(hasAdmin: boolean): Promise<Listening> {
  const config = loopbackConfig();
  const admin = hasAdmin
    ? adminService({ username: 'admin', passwordHash: hashSync('open:sesame', 4) }, reader)
    : undefined;
  const services = testServices(config, { admin });
  const grpc: GrpcServer = grpcServer(config.server, services);
  const http: HttpServer = httpServer(config.server, services, { grpc: async () => grpc });
  const listener: Listener = await openListener({
    address: config.server.httpListenAddr,
    socketMode: 0o766,
    onConnection: http.take,
  });
  const stop = async (): Promise<void> => {
    await listener.close();
    await Promise.all([http.stop(1000), grpc.stop(1000)]);
  };
  return { address: listener.address, stop };
}

let server: Listening;
const warnings: string[] = [];
const keep = ({ name }: Error): void => void warnings.push(name);
test.before(async () => {
  process.on('warning', keep);
  server = await listening(true);
});
test.after(async () => {
  await server.stop();
  process.off('warning', keep);
});
test.before.each(() => {
  asked = undefined;
  pagesRead = 0;
  lastPage = 1;
});

const REQUEST = findMessage('authz.request.v1.ListAuditLogEntriesRequest');
const RESPONSE = findMessage('authz.response.v1.ListAuditLogEntriesResponse');
const service = findService('authz.svc.v1.AuthzAdminService');
const PATH = '/authz.svc.v1.AuthzAdminService/ListAuditLogEntries';
const BASIC = `Basic ${Buffer.from('admin:open:sesame').toString('base64')}`;

const TRANSPORTS: readonly (readonly [string, (baseUrl: string) => Transport])[] = [
  ['Connect in JSON', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false })],
  [
    'Connect in binary form',
    (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true }),
  ],
  ['Connect over HTTP/2', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' })],
  ['gRPC-Web over HTTP/1.1', (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
  ['gRPC-Web over HTTP/2', (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '2' })],
  ['gRPC on the HTTP port', (baseUrl) => createGrpcTransport({ baseUrl })],
];

interface Listed {
  readonly entries: readonly JsonValue[];
  readonly code: number;
  readonly message: string;
  readonly violations: readonly string[];
}

/** The entries that a published client reads from a response, up to `most`. */
async function list(
  transport: Transport,
  request: JsonValue,
  options: { readonly authorization?: string; readonly most?: number; readonly timeoutMs?: number } = {},
): Promise<Listed> {
  const { authorization = BASIC, most = 1000, timeoutMs } = options;
  // biome-ignore lint/suspicious/noExplicitAny: a client of a service known only at runtime has no types.
  const client = createClient(service, transport) as any;
  const entries: JsonValue[] = [];
  const headers: Record<string, string> = authorization === '' ? {} : { authorization };
  try {
    for await (const response of client.listAuditLogEntries(fromJson(REQUEST, request), {
      headers,
      ...(timeoutMs !== undefined && { timeoutMs }),
    })) {
      entries.push(toJson(RESPONSE, response));
      if (entries.length === most) break;
    }
    return { entries, code: 0, message: '', violations: [] };
  } catch (error) {
    const { code, rawMessage } = error as ConnectError;
    const details = (
      error as {
        findDetails: (type: DescMessage) => readonly { readonly violations: readonly { readonly ruleId: string }[] }[];
      }
    ).findDetails(findMessage('buf.validate.Violations'));
    return {
      entries,
      code,
      message: rawMessage,
      violations: details.flatMap(({ violations }) => violations.map(({ ruleId }) => ruleId)),
    };
  }
}

for (const [name, make] of TRANSPORTS) {
  test(`the published client of ${name} reads entries one by one`, async () => {
    const transport = make(`http://${server.address}`);
    lastPage = 3;
    assert.equal(await list(transport, { kind: 'KIND_ACCESS', tail: 3 }), {
      entries: Array(3).fill({ accessLogEntry: entry }),
      code: 0,
      message: '',
      violations: [],
    });
    assert.equal(asked, { kind: 'access', by: 'tail', count: 3 });
    await list(transport, {
      kind: 'KIND_DECISION',
      between: { start: '2020-01-01T00:00:00Z', end: '2020-01-01T00:00:00.5Z' },
    });
    assert.equal(asked, { kind: 'decision', by: 'between', start: 1_577_836_800_000, end: 1_577_836_800_500 });
    await list(transport, { kind: 'KIND_DECISION', since: '5400s' });
    assert.is(asked?.by === 'between' && asked.end - asked.start, 5_400_000);
    await list(transport, { kind: 'KIND_DECISION', lookup: CALL_ID });
    assert.equal(asked, { kind: 'decision', by: 'lookup', callId: CALL_ID });
  });

  test(`the published client of ${name} reads the status`, async () => {
    const transport = make(`http://${server.address}`);
    const anonymous = await list(transport, {}, { authorization: '' });
    assert.equal([anonymous.code, anonymous.message], [16, 'authentication required']);
    assert.is((await list(transport, {}, { authorization: 'Basic YWRtaW46bm9wZQ==' })).code, 16);
    assert.equal(await list(transport, {}), {
      entries: [],
      code: 3,
      message: 'validation errors:\n - kind: value is required\n - filter: exactly one field is required in oneof',
      violations: ['required', 'required'],
    });
    lastPage = -2;
    const cut = await list(transport, { kind: 'KIND_ACCESS', tail: 3 });
    assert.equal([cut.entries.length, cut.code, cut.message], [2, 13, 'Policy check failed']);
  });

  test(`entries are read for a client of ${name} only while it is connected`, async () => {
    lastPage = 1_000_000;
    const some = await list(make(`http://${server.address}`), { kind: 'KIND_ACCESS', since: '3600s' }, { most: 3 });
    assert.is(some.entries.length, 3);
    let before = -1;
    for (let waited = 0; waited < 100 && before !== pagesRead; waited++) {
      before = pagesRead;
      await sleep(50);
    }
    assert.is(pagesRead, before);
    assert.ok(pagesRead < 100_000, String(pagesRead));
  });

  test(`a client of ${name} waits no longer than its timeout`, async () => {
    lastPage = 1_000_000;
    const late = await list(
      make(`http://${server.address}`),
      { kind: 'KIND_ACCESS', since: '3600s' },
      { timeoutMs: 50, most: Number.POSITIVE_INFINITY },
    );
    assert.is(late.code, 4);
  });
}

const framed = (bytes: Buffer | string, kind = 0): Buffer => {
  const content = Buffer.from(bytes as string);
  const head = Buffer.alloc(5);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
};
const post = (type: string, body: Buffer | string, headers: { readonly [name: string]: string } = {}) =>
  send(server.address, 'POST', PATH, body, { 'content-type': type, authorization: BASIC, ...headers });

/** The frames of a response: their kinds and texts. */
function framesOf(bytes: Buffer): readonly (readonly [number, string])[] {
  const frames: (readonly [number, string])[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + 5 + bytes.readUInt32BE(at + 1);
    frames.push([bytes.readUInt8(at), bytes.toString('utf8', at + 5, end)]);
    at = end;
  }
  return frames;
}

test('a Connect stream ends with a frame that has the status; the HTTP status is 200', async () => {
  const ended = async (body: Buffer, headers = {}): Promise<unknown> => {
    const answer = await post('application/connect+json', body, headers);
    assert.is(answer.status, 200);
    assert.is(answer.headers['content-type'], 'application/connect+json');
    // Read as text, lengths may be wrong; the kind of the last frame is correct.
    const [, end = ''] = /\u0002.{4}(\{.*\})$/s.exec(answer.text) ?? [];
    return (JSON.parse(end) as { readonly error?: { readonly code: string } }).error?.code;
  };
  const good = framed('{"kind":1,"tail":1}');
  assert.is(await ended(good), undefined);
  assert.is(await ended(framed('{"kind":1,"tail":1,"since":null}')), undefined);
  assert.is(await ended(Buffer.alloc(0)), 'invalid_argument');
  assert.is(await ended(good.subarray(0, 9)), 'invalid_argument');
  assert.is(await ended(Buffer.concat([good, good])), 'invalid_argument');
  assert.is(await ended(framed('{"kind":1,"tail":1', 0)), 'invalid_argument');
  assert.is(await ended(framed('{}', 1)), 'unimplemented');
  assert.is(await ended(good, { 'connect-content-encoding': 'gzip' }), 'unimplemented');
  assert.is(await ended(good, { 'connect-protocol-version': '2' }), 'invalid_argument');
  assert.is(await ended(good, { 'connect-timeout-ms': 'soon' }), 'invalid_argument');
  assert.is(await ended(good, { authorization: 'Bearer x' }), 'unauthenticated');
});

test('gRPC-Web text: each frame is base64 on its own', async () => {
  lastPage = 2;
  const message = Buffer.from(toBinary(REQUEST, fromJson(REQUEST, { kind: 'KIND_ACCESS', tail: 2 })));
  const answer = await post('application/grpc-web-text', framed(message).toString('base64'));
  assert.is(answer.status, 200);
  assert.is(answer.headers['content-type'], 'application/grpc-web-text+proto');
  const pieces = answer.text.match(/[^=]+={0,2}/g) ?? [];
  const frames = framesOf(Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64'))));
  assert.equal(
    frames.map(([kind]) => kind),
    [0, 0, 0x80],
  );
  assert.is(frames[2]?.[1], 'grpc-status: 0\r\n');
});

test('malformed gRPC-Web messages are code 13, as in gRPC', async () => {
  for (const body of [Buffer.alloc(0), framed(Buffer.from([0x0a])), framed(Buffer.from([0x1a, 0x05]))]) {
    const answer = await post('application/grpc-web', body);
    assert.is(answer.status, 200);
    assert.match(answer.text, /grpc-status: 13\r\n/);
  }
});

test('a stream requires a streaming media type', async () => {
  for (const type of ['application/json', 'application/proto', 'text/plain', 'application/connect+xml']) {
    const answer = await post(type, '{}');
    assert.is(answer.status, 415, type);
    assert.match(String(answer.headers['accept-post']), /application\/connect\+json/);
  }
  assert.is((await send(server.address, 'GET', PATH)).status, 405);
});

test('waiting for the client does not leak listeners', () => {
  assert.equal(warnings, []);
});

test('without an admin API the procedure does not exist', async () => {
  const without = await listening(false);
  try {
    for (const [name, make] of TRANSPORTS)
      assert.is((await list(make(`http://${without.address}`), { kind: 'KIND_ACCESS', tail: 1 })).code, 12, name);
  } finally {
    await without.stop();
  }
});

test.run();
