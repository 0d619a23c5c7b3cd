import { type ClientRequest, request } from 'node:http';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListeningServer } from '../../server/main.js';
import { encodeCheckRequest } from '../support/cli/grpc-check.js';
import { GRPC_CHECK } from '../support/server/http2-frames.js';
import { start } from '../support/server/start.js';
import { until } from '../support/timeout.js';

const test = suite('the limit on incomplete request bodies');
/** Room for two of the bodies below. */
const SETS = ['server.requestLimits.maxUnfinishedBytes=1200000'];
const SIZE = 500_000;

let server: ListeningServer;
/** End the connections of the test. */
const disconnects: (() => void)[] = [];
test.before.each(async () => {
  server = await start(SETS);
});
test.after.each(async () => {
  for (const disconnect of disconnects.splice(0)) disconnect();
  await server.close();
});

const checkOf = (size: number) => ({
  principal: { id: 'a', roles: ['user'], attr: { long: 'x'.repeat(size) } },
  resources: [{ resource: { kind: 'contact', id: 'c1' }, actions: ['read'] }],
});

/** A call whose body lacks its last byte. */
interface Call {
  /** `200` or, over gRPC, `0`; or the code of the refusal. Undefined: there is no response yet. */
  status: string | undefined;
  /** Sends the last byte. */
  readonly finish: () => void;
  readonly cancel: () => void;
  readonly disconnect: () => void;
}

function overHttp1(size: number): Call {
  const body = Buffer.from(JSON.stringify(checkOf(size)));
  const [host, port] = server.httpAddress.split(':');
  const sent: ClientRequest = request({ agent: false, host, port, path: '/api/check/resources', method: 'POST' });
  const disconnect = (): void => void sent.destroy();
  disconnects.push(disconnect);
  const call: Call = {
    status: undefined,
    finish: () => void sent.end(body.subarray(-1)),
    cancel: disconnect,
    disconnect,
  };
  sent.on('response', (response) => {
    call.status = String(response.statusCode);
    response.resume();
  });
  sent.on('error', () => {});
  sent.write(body.subarray(0, -1));
  return call;
}

function overHttp2(address: string, headers: OutgoingHttpHeaders, body: Buffer): Call {
  const { session, disconnect } = openSession(address);
  const stream = session.request(headers);
  const call: Call = {
    status: undefined,
    finish: () => void stream.end(body.subarray(-1)),
    cancel: () => stream.close(8),
    disconnect,
  };
  const record = (received: IncomingHttpHeaders): void => {
    const status = received['grpc-status'] ?? (isGrpc ? undefined : received[':status']);
    if (status !== undefined) call.status = String(status);
  };
  const isGrpc = headers['content-type'] === 'application/grpc';
  stream.on('response', record);
  stream.on('trailers', record);
  stream.on('error', () => {});
  stream.resume();
  stream.write(body.subarray(0, -1));
  return call;
}

interface Session {
  readonly session: ClientHttp2Session;
  readonly disconnect: () => void;
}

function openSession(address: string): Session {
  const [host, port] = address.split(':');
  const socket = connectTcp(Number(port), host);
  const session = connect(`http://${address}`, { createConnection: () => socket });
  session.on('error', () => {});
  const disconnect = (): void => void socket.destroy();
  disconnects.push(disconnect);
  return { session, disconnect };
}

function framed(message: Buffer): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

const POST = { ':method': 'POST', ':path': '/authz.svc.v1.AuthzService/CheckResources' };
const overGrpc = (size: number): Call =>
  overHttp2(server.grpcAddress, GRPC_CHECK, framed(encodeCheckRequest(checkOf(size))));
const overRest2 = (size: number): Call =>
  overHttp2(
    server.httpAddress,
    { ...POST, ':path': '/api/check/resources' },
    Buffer.from(JSON.stringify(checkOf(size))),
  );
const overConnect = (size: number): Call =>
  overHttp2(server.httpAddress, { ...POST, 'content-type': 'application/proto' }, encodeCheckRequest(checkOf(size)));

const PROTOCOLS = [
  { name: 'gRPC', open: overGrpc, ok: '0', refusal: '8' },
  { name: 'REST', open: overHttp1, ok: '200', refusal: '429' },
  { name: 'REST over HTTP/2', open: overRest2, ok: '200', refusal: '429' },
  { name: 'Connect', open: overConnect, ok: '200', refusal: '429' },
];

async function answered(call: Call, status: string): Promise<void> {
  await until(() => call.status !== undefined, 'a response');
  assert.is(call.status, status);
}

/** Resolves when the memory of earlier bodies is released, so that two more fit: the server learns later of an end. */
async function untilBothFit(open: (size: number) => Call, ok: string): Promise<void> {
  await until(async () => {
    const both = [open(SIZE), open(SIZE)];
    for (const call of both) call.finish();
    await until(() => both.every(({ status }) => status !== undefined), 'two responses');
    return both.every(({ status }) => status === ok);
  }, 'room for two bodies');
}

/** Resolves when the server has read what was sent. */
const received = (): Promise<void> => sleep(50);

for (const { name, open, ok, refusal } of PROTOCOLS) {
  test(`${name}: bodies that do not fit are refused, others and small requests are answered`, async () => {
    const calls = Array.from({ length: 4 }, () => open(SIZE));
    const refused = (): Call[] => calls.filter(({ status }) => status !== undefined);
    await until(() => refused().length >= 2, 'two refusals');
    for (const protocol of PROTOCOLS) {
      const small = protocol.open(10);
      small.finish();
      await answered(small, protocol.ok);
    }
    for (const { status } of refused()) assert.is(status, refusal);
    const waiting = calls.filter(({ status }) => status === undefined);
    assert.is(waiting.length, 2);
    for (const call of waiting) call.finish();
    for (const call of waiting) await answered(call, ok);
  });

  test(`${name}: bodies that are complete, canceled, refused or cut off release their memory`, async () => {
    for (let round = 0; round < 3; round++) {
      await untilBothFit(open, ok);
      const calls = [open(SIZE), open(SIZE), open(SIZE)];
      const isRefused = ({ status }: Call): boolean => status !== undefined;
      await until(() => calls.some(isRefused), 'a refusal');
      assert.equal(
        calls.filter(isRefused).map(({ status }) => status),
        [refusal],
      );
      const [canceled, cut] = calls.filter((call) => !isRefused(call)) as [Call, Call];
      canceled.cancel();
      cut.disconnect();
    }
    await untilBothFit(open, ok);
  });
}

test('gRPC: nothing is reserved for what follows a response', async () => {
  const { session } = openSession(server.grpcAddress);
  const stream = session.request({ ...GRPC_CHECK, 'grpc-timeout': '20m' });
  let status: unknown;
  stream.on('response', (headers) => {
    status = headers['grpc-status'];
  });
  stream.on('error', () => {});
  stream.resume();
  stream.write(framed(Buffer.alloc(4_000_000)).subarray(0, 1000));
  await until(() => status !== undefined, 'a response');
  assert.is(status, '4');
  for (let part = 0; part < 10; part++) {
    stream.write(Buffer.alloc(100_000));
    await sleep(5);
  }
  await received();
  const calls = [overGrpc(SIZE), overGrpc(SIZE)];
  await received();
  for (const call of calls) call.finish();
  for (const call of calls) await answered(call, '0');
  assert.not.ok(stream.closed);
});

test('gRPC: a stream of messages reserves memory for the last one', async () => {
  const { session } = openSession(server.grpcAddress);
  const stream = session.request({
    ...GRPC_CHECK,
    ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
  });
  let code: number | undefined;
  stream.on('close', () => {
    code = stream.rstCode;
  });
  stream.on('error', () => {});
  let bytes = 0;
  stream.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
  });
  // Requests for a symbol, whose parts end in the middle of the next one.
  const field = Buffer.concat([Buffer.from([0x22, 0xa0, 0x8d, 0x06]), Buffer.alloc(100_000, 'x')]);
  const message = framed(field);
  const all = Buffer.concat(Array.from({ length: 30 }, () => message));
  const split = 50_003;
  for (let at = 0; at < all.length; at += split) {
    stream.write(all.subarray(at, at + split));
    await sleep(2);
  }
  await until(() => bytes > 1000, 'responses');
  await received();
  assert.is(code, undefined);

  // Once there are responses, only a reset can refuse a message.
  const large = framed(Buffer.alloc(4_000_000));
  stream.write(large.subarray(0, 3_000_000));
  await until(() => code !== undefined, 'the end of the stream');
  assert.is(code, 11);
});

test.run();
