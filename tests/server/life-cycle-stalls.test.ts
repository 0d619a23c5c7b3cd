import { connect, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { succeedOnce, within } from '../support/timeout.js';
import { send } from '../support/server/http-client.js';
import { closeWithoutDelay, start } from '../support/server/start.js';

const test = suite('clients that stall');

interface Watched {
  readonly socket: Socket;
  readonly text: () => string;
  readonly closed: Promise<void>;
}

async function open(address: string, bytes = ''): Promise<Watched> {
  const [host, port] = address.split(':');
  const socket = connect(Number(port), host);
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  await new Promise<void>((resolve) => socket.on('connect', () => resolve()));
  if (bytes !== '') socket.write(bytes);
  return { socket, text: () => text, closed };
}

/** A server with one deadline and no other, which closes stalled connections by that deadline. */
function startWith(deadline: string): ReturnType<typeof start> {
  const none = ['readHeaderTimeout', 'readTimeout', 'writeTimeout', 'idleTimeout'].map(
    (name) => `server.advanced.http.${name}=0s`,
  );
  return start([...none, `server.advanced.http.${deadline}`]);
}

test('slow headers or bodies end their connection, and other clients are answered meanwhile', async () => {
  await succeedOnce(3, (done) => assertSlowOnesEnd(8 ** done));
});

/** @param factor how much longer clients may take, so that others are fast enough on a busy machine. */
async function assertSlowOnesEnd(factor: number): Promise<void> {
  const servers = [
    await startWith(`readHeaderTimeout=${300 * factor}ms`),
    await startWith(`readTimeout=${600 * factor}ms`),
  ] as const;
  const [ofHeaders, ofRequests] = servers;
  const slowHeaders = await open(ofHeaders.httpAddress, 'POST /api/check/resources HTTP/1.1\r\n');
  const slowBody = await open(
    ofRequests.httpAddress,
    'POST /api/check/resources HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{',
  );
  const trickle = setInterval(() => slowHeaders.socket.write('X-A: b\r\n'), 100);
  try {
    for (const { httpAddress } of servers) assert.is((await send(httpAddress, 'GET', '/_authz/health')).status, 200);
    await within(slowHeaders.closed, 'the end of slow headers');
    await within(slowBody.closed, 'the end of a slow body');
    assert.match(slowHeaders.text(), /^(HTTP\/1\.1 408 |$)/);
  } finally {
    clearInterval(trickle);
    for (const { close } of servers) await close();
  }
}

test('an idle connection is closed after the idle timeout', async () => {
  const server = await startWith('idleTimeout=300ms');
  const idle = await open(server.httpAddress, 'GET /_authz/health HTTP/1.1\r\nHost: x\r\n\r\n');
  await within(idle.closed, 'the end of an idle connection');
  assert.match(idle.text(), /^HTTP\/1\.1 200 /);
  await server.close();
});

test('silent connections do not delay the stop', async () => {
  const server = await start();
  const silent = await open(server.httpAddress);
  const silentGrpc = await open(server.grpcAddress);
  await closeWithoutDelay(server.close);
  silent.socket.destroy();
  silentGrpc.socket.destroy();
});

test('a client that has half-closed its connection gets its response, as soon as the server is ready', async () => {
  const server = await start(['server.aliases={cerbos}']);
  const check =
    '{"principal":{"id":"a","roles":["u"]},"resources":[{"resource":{"kind":"k","id":"1"},"actions":["read"]}]}';
  // None of them loads Fastify, or waits for it.
  for (const [method, path, status, body = ''] of [
    ['GET', '/_authz/health', 200],
    ['HEAD', '/_authz/health', 200],
    ['GET', '/_authz/health?pretty', 200],
    ['GET', '/_authz/health?service=nobody', 404],
    ['GET', '/_authz/health?maxBundleAge=1h', 200],
    ['GET', '/_authz/live', 200],
    ['GET', '/_cerbos/health', 200],
    ['POST', '/api/check/resources', 200, check],
    ['POST', '/cerbos.svc.v1.CerbosService/CheckResources', 200, check],
  ] as const) {
    const half = await open(server.httpAddress);
    const headers = `Host: x\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
    half.socket.end(`${method} ${path} HTTP/1.1\r\n${headers}\r\n\r\n${body}`);
    await within(half.closed, 'the end of an answer');
    assert.match(half.text(), new RegExp(`^HTTP/1\\.1 ${status} `), `${method} ${path}`);
  }
  await server.close();
});

test('health reports NOT_SERVING first, and calls are answered until the grace period is over', async () => {
  // A busy machine may take longer than the first grace period for the calls.
  await succeedOnce(3, (done) => assertAnsweredDuringGrace(3 * 5 ** done));
});

async function assertAnsweredDuringGrace(seconds: number): Promise<void> {
  const server = await start([`server.shutdownGrace=${seconds}s`]);
  const closing = server.close();
  assert.is((await send(server.httpAddress, 'GET', '/_authz/health')).status, 503);
  assert.is((await send(server.httpAddress, 'GET', '/_authz/live')).status, 200);
  const body = JSON.stringify({
    principal: { id: 'a', roles: ['u'] },
    resources: [{ resource: { kind: 'k', id: '1' }, actions: ['read'] }],
  });
  const answer = await send(server.httpAddress, 'POST', '/api/check/resources', body, { connection: 'keep-alive' });
  assert.is(answer.status, 200);
  assert.is(answer.headers['connection'], 'close');
  await closing;
}

test.run();
