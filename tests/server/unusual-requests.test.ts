import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Listener, openListener } from '../../server/listen.js';
import { type HttpServer, httpServer } from '../../server/transport/http/http-server.js';
import { LAST_RESORT } from '../support/timeout.js';
import { send } from '../support/server/http-client.js';
import { testServices } from './services.js';
import { loopbackConfig } from '../support/server/start.js';

const test = suite('unusual HTTP requests');
const CHECK = '/api/check/resources';
const METRICS = { contentType: 'text/plain', text: async () => 'a 1\n' };
let http: HttpServer;
let listener: Listener;
let address = '';

test.before(async () => {
  const config = loopbackConfig('server.advanced.grpc.maxRecvMsgSizeBytes=2000');
  http = httpServer(config.server, testServices(config), { metrics: METRICS });
  listener = await openListener({ address: config.server.httpListenAddr, socketMode: 0o766, onConnection: http.take });
  address = listener.address;
});
test.after(async () => {
  await listener.close();
  await http.stop(1000);
});

test('the path and the method are checked before the size of the body', async () => {
  const body = 'x'.repeat(5000);
  const answers = await Promise.all([
    send(address, 'POST', CHECK, body),
    send(address, 'PUT', CHECK, body),
    send(address, 'POST', '/api/x', body),
    send(address, 'POST', '/x', body),
  ]);
  assert.equal(
    answers.map(({ status }) => status),
    [429, 501, 404, 404],
  );
  const unknown = await send(address, 'POST', '/authz.svc.v1.AuthzService/X', body, {
    'content-type': 'application/json',
  });
  assert.equal([unknown.status, unknown.text], [404, '{"code":"unimplemented","message":"unknown procedure"}']);
});

test('the media type of a Connect call is checked before the size of its body', async () => {
  const path = '/authz.svc.v1.AuthzService/CheckResources';
  const answers = await Promise.all(
    ['text/plain', 'nonsense', '', 'application/json'].map((type) =>
      send(address, 'POST', path, 'x'.repeat(5000), { 'content-type': type }),
    ),
  );
  assert.equal(
    answers.map(({ status }) => status),
    [415, 415, 415, 429],
  );
});

test('a request line may have an absolute URL', async () => {
  const request = (path: string, type: string): string =>
    `POST http://a.example${path} HTTP/1.1\r\nHost: x\r\nContent-Type: ${type}\r\nContent-Length: 2\r\n`;
  const connectCall = request('/authz.svc.v1.AuthzService/ServerInfo', 'application/json');
  const rest = request(CHECK, 'application/json');
  const text = await exchange(`${connectCall}\r\n{}${rest}Connection: close\r\n\r\n{}`);
  assert.equal(statusesOf(text), [200, 400]);
});

test('a body that ends early, or grows too large, is refused and the server stays up', async () => {
  const chunked = `POST ${CHECK} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n`;
  const chunk = `3e8\r\n${'x'.repeat(1000)}\r\n`;
  assert.equal(statusesOf(await exchange(`${chunked}${chunk.repeat(5)}0\r\n\r\n`)), [429]);
  assert.equal(statusesOf(await exchange(`${chunked}${chunk.repeat(4)}0\r\n\r\n`)), [400]);
  const [host, port] = address.split(':');
  const socket = connect(Number(port), host);
  socket.end(`POST ${CHECK} HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nab`);
  await new Promise((resolve) => socket.once('close', resolve).resume());
  assert.is((await send(address, 'GET', '/api/server_info')).status, 200);
});

test('a connection stays open after an unread body', async () => {
  const request = (path: string, body: string): string =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const last = 'GET /api/server_info HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
  const text = await exchange(request('/api/x', 'y'.repeat(5000)) + request('/x', 'y') + last);
  assert.equal(statusesOf(text), [404, 404, 200]);
});

test('methods that no path has are not allowed, with and without a body', async () => {
  for (const method of ['PROPFIND', 'QUERY', 'TRACE', 'M-SEARCH']) {
    const text = await exchange(`${method} ${CHECK} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    // A platform that does not know the method rejects the request as unreadable.
    assert.ok(['501', '400'].includes(String(statusesOf(text)[0])), text);
    if (method !== 'QUERY') assert.match(text, '{"code":12,"message":"Method Not Allowed"}');
    assert.not.match(text, 'bad request');
  }
});

test('a request with two hosts is refused, and nothing of its connection is read further', async () => {
  for (const hosts of ['Host: x\r\nHost: y', 'Host: x\r\nhost: x', 'HOST: x\r\nA: b\r\nHost:'])
    for (const path of ['/_authz/health', CHECK, '/x']) {
      const text = await exchange(
        `GET ${path} HTTP/1.1\r\n${hosts}\r\n\r\nGET /_authz/health HTTP/1.1\r\nHost: x\r\n\r\n`,
      );
      assert.equal(statusesOf(text), [400], text);
      assert.match(text, 'Connection: close');
    }
  const one = await exchange('GET /_authz/health HTTP/1.1\r\nhOsT: x\r\nConnection: close\r\n\r\n');
  assert.equal(statusesOf(one), [200], one);
});

test('a host that is a list, or has a user or a path, is refused, as is a coding that is not decoded', async () => {
  const next = 'GET /_authz/health HTTP/1.1\r\nHost: x\r\n\r\n';
  for (const host of ['x, y', 'x y', 'u@x', 'x/y', 'x?y', 'x#y', '"x"', '<x>', 'x\\y', '\u00e9'])
    assert.equal(
      statusesOf(await exchange(`GET /_authz/health HTTP/1.1\r\nHost: ${host}\r\n\r\n${next}`)),
      [400],
      host,
    );
  for (const host of ['', 'x', 'x:80', 'a-b.example', '[::1]:80', 'a_b'])
    assert.equal(
      statusesOf(await exchange(`GET /_authz/health HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`)),
      [200],
      host,
    );
  for (const coding of ['gzip, chunked', 'identity, chunked', 'x, chunked', 'gzip\r\nTransfer-Encoding: chunked'])
    assert.equal(
      statusesOf(
        await exchange(`POST ${CHECK} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: ${coding}\r\n\r\n0\r\n\r\n${next}`),
      ),
      [400],
      coding,
    );
});

test('metrics are served for any method, and to browsers of allowed origins', async () => {
  for (const method of ['GET', 'POST', 'PUT', 'DELETE', 'OPTIONS'])
    assert.equal(await textOf(method), [200, 'a 1\n'], method);
  assert.equal(await textOf('HEAD'), [200, '']);
  const preflight = await send(address, 'OPTIONS', '/_authz/metrics', undefined, {
    origin: 'https://a.example',
    'access-control-request-method': 'GET',
  });
  assert.equal([preflight.status, preflight.headers['access-control-allow-methods']], [204, 'GET']);
});

test('invalid HTTP has a response in plain text and ends the connection', async () => {
  const length = 'Content-Length: 5\r\n';
  for (const [bytes, status] of [
    ['NONSENSE / HTTP/1.1\r\n\r\n', 400],
    [`POST ${CHECK} HTTP/1.1\r\nHost: x\r\n${length}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 400],
    [`POST ${CHECK} HTTP/1.1\r\nHost: x\r\n${length}Content-Length: 6\r\n\r\nabcdef`, 400],
    [`POST ${CHECK} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    [`GET /api/server_info HTTP/1.1\r\nHost: x\r\nX: ${'a'.repeat(1_100_000)}\r\n\r\n`, 431],
  ] as const) {
    const text = await exchange(bytes);
    assert.equal(statusesOf(text), [status], bytes.slice(0, 100));
    assert.match(text, /\r\nContent-Type: text\/plain; charset=utf-8\r\n/);
    assert.match(text, new RegExp(`\r\n\r\n${status} [A-Z][ A-Za-z]+\n$`));
  }
});

async function textOf(method: string): Promise<readonly [number, string]> {
  const { status, text } = await send(address, method, '/_authz/metrics');
  return [status, text];
}

/** All bytes that come back until the server closes the connection. */
function exchange(bytes: string): Promise<string> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), host, () => socket.write(bytes));
    socket.setTimeout(LAST_RESORT, () => reject(new Error(`only: ${text}`)));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
    });
    socket.on('end', () => {
      socket.destroy();
      resolve(text);
    });
  });
}

function statusesOf(text: string): readonly number[] {
  return [...text.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
}

test.run();
