import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { Client, credentials } from '@grpc/grpc-js';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListeningServer } from '../../server/main.js';
import { start } from '../support/server/start.js';
import { findMessage } from '../support/protobuf.js';

const test = suite('HTTP/2 on the HTTP port');
let server: ListeningServer;
let session: ClientHttp2Session;
test.before(async () => {
  server = await start();
  session = connect(`http://${server.httpAddress}`);
});
test.after(async () => {
  session.destroy();
  await server.close();
});

const check = {
  requestId: 'r1',
  principal: { id: 'a', roles: ['user'] },
  resources: [{ resource: { kind: 'contact', id: 'c1' }, actions: ['read', 'delete'] }],
};
const encode = (name: string, json: JsonValue): Buffer =>
  Buffer.from(toBinary(findMessage(name), fromJson(findMessage(name), json)));
const decode = (name: string, bytes: Uint8Array): JsonValue =>
  toJson(findMessage(name), fromBinary(findMessage(name), bytes));
const same = (bytes: Buffer): Buffer => bytes;

interface Answer {
  readonly status: number;
  readonly headers: { readonly [name: string]: unknown };
  readonly text: string;
}

function send(on: ClientHttp2Session, headers: { readonly [name: string]: string }, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const stream = on.request({ ':method': 'POST', ...headers }, { endStream: body === undefined });
    let answer: { readonly [name: string]: unknown } = {};
    const chunks: Buffer[] = [];
    stream.on('response', (received) => {
      answer = received;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('end', () =>
      resolve({ status: Number(answer[':status']), headers: answer, text: Buffer.concat(chunks).toString('utf8') }),
    );
    stream.on('error', reject);
    if (body !== undefined) stream.end(body);
  });
}

test('a request that expects to be told to continue may be reset at once', async () => {
  const frame = (type: number, flags: number, id: number, payload: Buffer): Buffer => {
    const head = Buffer.alloc(9);
    head.writeUIntBE(payload.length, 0, 3);
    head.writeUInt8(type, 3);
    head.writeUInt8(flags, 4);
    head.writeUInt32BE(id, 5);
    return Buffer.concat([head, payload]);
  };
  const literal = (text: string): Buffer => Buffer.from(`${String.fromCharCode(text.length)}${text}`, 'latin1');
  const fields = [
    [':method', 'POST'],
    [':path', '/api/check/resources'],
    [':scheme', 'http'],
    [':authority', 'x'],
    ['expect', '100-continue'],
  ] as const;
  const block = fields.map(([name, value]) => Buffer.concat([Buffer.from([0]), literal(name), literal(value)]));
  const [SETTINGS, HEADERS, RST_STREAM] = [4, 1, 3];
  const END_HEADERS = 4;
  const [host, port] = server.httpAddress.split(':');
  const socket = connectSocket(Number(port), host);
  const reply = new Promise((resolve) => socket.once('data', resolve));
  socket.write(
    Buffer.concat([
      Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
      frame(SETTINGS, 0, 0, Buffer.alloc(0)),
      frame(HEADERS, END_HEADERS, 1, Buffer.concat(block)),
      frame(RST_STREAM, 0, 1, Buffer.from([0, 0, 0, 8])),
    ]),
  );
  await reply;
  socket.destroy();
  assert.is((await send(session, { ':method': 'GET', ':path': '/api/server_info' })).status, 200);
});

test('a client with prior knowledge can use HTTP/2 without TLS', async () => {
  const answer = await send(session, { ':path': '/api/check/resources' }, JSON.stringify(check));
  assert.is(answer.status, 200);
  assert.is(answer.headers['content-type'], 'application/json');
  assert.is(answer.headers['grpc-metadata-authz-version'], '1.2.3');
  assert.equal(JSON.parse(answer.text).results[0].actions, { delete: 'EFFECT_DENY', read: 'EFFECT_ALLOW' });
});

test('paths, methods and bodies work as over HTTP/1.1', async () => {
  assert.is((await send(session, { ':path': '/api/check/resources' })).text.slice(0, 10), '{"code":3,');
  assert.is(
    (await send(session, { ':path': '/api/check/resources', 'content-type': 'nonsense' }, '{')).text,
    '{"code":3,"message":"unexpected EOF"}',
  );
  assert.is((await send(session, { ':path': '/api/server_info' }, '{}')).status, 501);
  assert.is((await send(session, { ':path': '/api/server_info', ':method': 'GET' })).status, 200);
  assert.is((await send(session, { ':path': '/nope', ':method': 'GET' })).text, '404 page not found\n');
  assert.is((await send(session, { ':path': '/_authz/health', ':method': 'GET' })).text, '{"status":"SERVING"}\n');
  assert.is(
    (
      await send(
        session,
        { ':path': '/authz.svc.v1.AuthzService/CheckResources', 'content-type': 'application/json' },
        JSON.stringify(check),
      )
    ).status,
    200,
  );
});

test('a preface that arrives in pieces is recognised', async () => {
  const [host, port] = server.httpAddress.split(':');
  const socket = connectSocket(Number(port), host);
  socket.setNoDelay(true);
  const first = new Promise<Buffer>((resolve) => socket.once('data', resolve));
  const bytes = Buffer.concat([
    Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
    Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
  ]);
  for (const piece of [bytes.subarray(0, 1), bytes.subarray(1, 2), bytes.subarray(2, 20), bytes.subarray(20)]) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  // A SETTINGS frame.
  assert.is((await first)[3], 4);
  socket.destroy();
});

test('an HTTP/1.1 method that arrives in pieces is recognised', async () => {
  const [host, port] = server.httpAddress.split(':');
  const socket = connectSocket(Number(port), host);
  socket.setNoDelay(true);
  const first = new Promise<Buffer>((resolve) => socket.once('data', resolve));
  for (const piece of ['P', 'OST /api/server_info HTTP/1.1\r\nHost: x\r\n', 'Content-Length: 0\r\n\r\n']) {
    socket.write(piece);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  assert.match((await first).toString('utf8'), /^HTTP\/1\.1 501 /);
  socket.destroy();
});

test('all gRPC services work on the HTTP port', async () => {
  const client = new Client(server.httpAddress, credentials.createInsecure());
  const unary = (method: string, bytes: Buffer): Promise<Buffer> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(method, same, same, bytes, (error, reply) =>
        error === null ? resolve(reply as Buffer) : reject(error),
      );
    });
  const answer = decode(
    'authz.response.v1.CheckResourcesResponse',
    await unary('/authz.svc.v1.AuthzService/CheckResources', encode('authz.request.v1.CheckResourcesRequest', check)),
  );
  assert.equal((answer as unknown as { results: readonly { actions: object }[] }).results[0]?.actions, {
    delete: 'EFFECT_DENY',
    read: 'EFFECT_ALLOW',
  });
  assert.equal(
    decode('grpc.health.v1.HealthCheckResponse', await unary('/grpc.health.v1.Health/Check', Buffer.alloc(0))),
    { status: 'SERVING' },
  );
  const failure = await unary('/authz.svc.v1.AuthzService/Nope', Buffer.alloc(0)).catch(
    (error: { code: number }) => error.code,
  );
  assert.is(failure, 12);
  const stream = client.makeBidiStreamRequest('/grpc.reflection.v1.ServerReflection/ServerReflectionInfo', same, same);
  const listed = new Promise<Buffer>((resolve) => stream.on('data', resolve));
  stream.write(encode('grpc.reflection.v1.ServerReflectionRequest', { listServices: '*' }));
  stream.end();
  assert.ok((await listed).includes('authz.svc.v1.AuthzService'));
  client.close();
});

test('one connection can carry gRPC and REST', async () => {
  const message = encode('authz.request.v1.CheckResourcesRequest', check);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  const stream = session.request({
    ':method': 'POST',
    ':path': '/authz.svc.v1.AuthzService/CheckResources',
    'content-type': 'application/grpc',
    te: 'trailers',
  });
  const trailers = new Promise<{ readonly [name: string]: unknown }>((resolve) => stream.on('trailers', resolve));
  stream.resume();
  stream.end(Buffer.concat([head, message]));
  assert.is((await trailers)['grpc-status'], '0');
  assert.is((await send(session, { ':path': '/api/check/resources' }, JSON.stringify(check))).status, 200);
});

test('a stopping server lets streams finish, closes idle connections at once, and accepts no new ones', async () => {
  const stopping = await start();
  const idle = connect(`http://${stopping.httpAddress}`);
  const silent = connectSocket(Number(stopping.httpAddress.split(':')[1]), '127.0.0.1');
  await send(idle, { ':path': '/_authz/health', ':method': 'GET' });
  const busy = connect(`http://${stopping.httpAddress}`);
  const stream = busy.request({ ':method': 'POST', ':path': '/api/check/resources' });
  stream.write(JSON.stringify(check).slice(0, 20));
  // The answer comes after the server has read what was sent before.
  await new Promise((resolve) => busy.ping(resolve));
  const closed = Promise.all([idle, silent].map((one) => new Promise((resolve) => one.on('close', resolve))));
  const stop = stopping.close();
  await closed;
  const status = new Promise((resolve) => stream.on('response', (headers) => resolve(headers[':status'])));
  stream.resume();
  stream.end(JSON.stringify(check).slice(20));
  assert.is(await status, 200);
  await stop;
});

test.run();
