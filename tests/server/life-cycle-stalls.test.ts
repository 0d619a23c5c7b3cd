import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { send } from './http-client.js';
import { start } from './start.js';

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

async function isClosed(watched: Watched, patience: number): Promise<boolean> {
  return Promise.race([watched.closed.then(() => true), sleep(patience, false)]);
}

test('headers that come too slowly, or a body, end their connection; others are answered meanwhile', async () => {
  const server = await start(['server.advanced.http.readHeaderTimeout=300ms', 'server.advanced.http.readTimeout=600ms']);
  const slowHeaders = await open(server.httpAddress, 'POST /api/check/resources HTTP/1.1\r\n');
  const slowBody = await open(server.httpAddress, 'POST /api/check/resources HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{');
  const trickle = setInterval(() => slowHeaders.socket.write('X-A: b\r\n'), 100);
  try {
    assert.is((await send(server.httpAddress, 'GET', '/_authz/health')).status, 200);
    assert.ok(await isClosed(slowHeaders, 5000), 'slow headers');
    assert.ok(await isClosed(slowBody, 5000), 'slow body');
    assert.match(slowHeaders.text(), /^(HTTP\/1\.1 408 |$)/);
  } finally {
    clearInterval(trickle);
    await server.close();
  }
});

test('an idle connection is closed after the idle timeout', async () => {
  const server = await start(['server.advanced.http.idleTimeout=300ms']);
  const idle = await open(server.httpAddress, 'GET /_authz/health HTTP/1.1\r\nHost: x\r\n\r\n');
  assert.ok(await isClosed(idle, 4000));
  assert.match(idle.text(), /^HTTP\/1\.1 200 /);
  await server.close();
});

test('connections that say nothing do not hold up the end', async () => {
  const server = await start();
  const silent = await open(server.httpAddress);
  const silentGrpc = await open(server.grpcAddress);
  await sleep(50);
  const asked = Date.now();
  await server.close();
  assert.ok(Date.now() - asked < 5000, `${Date.now() - asked} ms`);
  silent.socket.destroy();
  silentGrpc.socket.destroy();
});

test('a client that has sent its end and waits is answered', async () => {
  const server = await start();
  const half = await open(server.httpAddress, 'GET /_authz/health HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  half.socket.end();
  assert.ok(await isClosed(half, 4000));
  assert.match(half.text(), /^HTTP\/1\.1 200 /);
  await server.close();
});

test('health says first that the server does not serve, and calls are answered until the grace is over', async () => {
  const server = await start(['server.shutdownGrace=600ms']);
  const closing = server.close();
  await sleep(100);
  assert.is((await send(server.httpAddress, 'GET', '/_authz/health')).status, 503);
  assert.is((await send(server.httpAddress, 'GET', '/_authz/live')).status, 200);
  const body = JSON.stringify({ principal: { id: 'a', roles: ['u'] }, resources: [{ resource: { kind: 'k', id: '1' }, actions: ['read'] }] });
  const answer = await send(server.httpAddress, 'POST', '/api/check/resources', body, { connection: 'keep-alive' });
  assert.is(answer.status, 200);
  assert.is(answer.headers['connection'], 'close');
  await closing;
});

test.run();
