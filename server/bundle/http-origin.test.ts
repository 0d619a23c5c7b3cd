import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createRawServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { LAST_RESORT } from '../../tests/support/timeout.js';
import type { BundleCredentials } from '../config/bundle-config.js';
import { HttpClient } from '../outgoing/http-client.js';
import { HttpOrigin } from './http-origin.js';
import type { OriginError } from './origin.js';

const test = suite('a bundle at a URL');

const LIMITS = { connect: LAST_RESORT, idle: LAST_RESORT, whole: LAST_RESORT, maxSize: 100_000 };
/** Of servers that are too slow, however fast the machine is. */
const SHORT_LIMITS = { ...LIMITS, idle: 300, whole: 1500 };
const NO_CREDENTIALS: BundleCredentials = { username: undefined, password: undefined, token: undefined };
const open: (Server | HttpOrigin)[] = [];

test.after(async () => {
  for (const one of open) {
    if (one instanceof HttpOrigin) await one.close();
    else one.close();
  }
});

test('requests are conditional by ETag and date', async () => {
  const seen: IncomingMessage['headers'][] = [];
  const origin = await startOrigin((request, response) => {
    seen.push(request.headers);
    if (request.headers['if-none-match'] === '"v1"') return response.writeHead(304).end();
    return response.writeHead(200, { etag: '"v1"', 'last-modified': 'Wed, 21 Oct 2015 07:28:00 GMT' }).end('policies');
  });
  const first = await origin.fetch(undefined, signal());
  assert.is(first.kind, 'fetched');
  const version = first.kind === 'fetched' ? first.version : '';
  assert.equal(await origin.fetch(version, signal()), { kind: 'unchanged', holds: false });
  assert.is(seen[0]?.['if-none-match'], undefined);
  assert.is(seen[1]?.['if-none-match'], '"v1"');
  assert.is(seen[1]?.['if-modified-since'], 'Wed, 21 Oct 2015 07:28:00 GMT');
});

test('a server without validators is asked for everything', async () => {
  const origin = await startOrigin((_, response) => response.end('policies'));
  const first = await origin.fetch(undefined, signal());
  const second = await origin.fetch(first.kind === 'fetched' ? first.version : '', signal());
  assert.is(second.kind, 'fetched');
  assert.is(first.kind === 'fetched' && first.version, second.kind === 'fetched' && second.version);
});

test('a request is held only by a server that says that it does', async () => {
  const prefers: unknown[] = [];
  let offers = false;
  let keeps = false;
  let kept = (): void => undefined;
  const origin = await startOrigin(
    (request, response) => {
      prefers.push(request.headers['prefer']);
      if (request.headers['if-none-match'] === undefined)
        return response.writeHead(200, { etag: '"1"', ...(offers && { 'preference-applied': 'wait=1' }) }).end('one');
      if (keeps) return kept();
      return setTimeout(() => response.writeHead(304).end(), request.headers['prefer'] === undefined ? 0 : 600);
    },
    { longPoll: 1000 },
  );
  const never = new AbortController().signal;
  const version = JSON.stringify({ etag: '"1"' });
  await origin.fetch(undefined, signal(), never);
  assert.equal(await origin.fetch(version, signal(), never), { kind: 'unchanged', holds: false });
  offers = true;
  await origin.fetch(undefined, signal(), never);
  assert.equal(await origin.fetch(version, signal(), never), { kind: 'unchanged', holds: true });
  assert.equal(await origin.fetch(version, signal()), { kind: 'unchanged', holds: false });
  const stop = new AbortController();
  keeps = true;
  const arrived = new Promise<void>((resolve) => {
    kept = resolve;
  });
  const held = origin.fetch(version, signal(), stop.signal);
  await arrived;
  stop.abort();
  // The server never answers this request.
  assert.equal(await held, { kind: 'unchanged', holds: true });
  assert.equal(prefers, ['wait=1', undefined, 'wait=1', 'wait=1', undefined, 'wait=1']);
});

test('a server that only claims to hold requests is not asked at once', async () => {
  const origin = await startOrigin(
    (request, response) =>
      request.headers['if-none-match'] === undefined
        ? response.writeHead(200, { etag: '"1"', 'content-type': 'application/vnd.openpolicyagent.bundles' }).end('one')
        : response.writeHead(304).end(),
    { longPoll: LAST_RESORT },
  );
  const never = new AbortController().signal;
  await origin.fetch(undefined, signal(), never);
  assert.equal(await origin.fetch(JSON.stringify({ etag: '"1"' }), signal(), never), {
    kind: 'unchanged',
    holds: false,
  });
});

test('redirects are bounded, keep the scheme, and do not take credentials to another origin', async () => {
  const seen: unknown[] = [];
  const target = await listen(
    createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.end('policies');
    }),
  );
  const token = { ...NO_CREDENTIALS, token: { value: 'secret' } };
  const answering = (location: (request: IncomingMessage) => string) =>
    startOrigin(
      (request, response) => {
        seen.push(request.headers.authorization);
        response.writeHead(302, { location: location(request) }).end('x');
      },
      { credentials: token },
    );
  const there = await answering(() => `${target}/x`);
  assert.is((await there.fetch(undefined, signal())).kind, 'fetched');
  assert.equal(seen, ['Bearer secret', undefined]);
  seen.length = 0;
  const paths: unknown[] = [];
  const back = await listen(
    createServer((_, response) => response.writeHead(302, { location: `${own}/chosen-by-the-other` }).end()),
  );
  const own = await listen(
    createServer(({ url, headers }, response) => {
      seen.push(headers.authorization);
      paths.push(url);
      if (url === '/policies') response.writeHead(307, { location: '/moved' }).end();
      else if (url === '/moved') response.writeHead(302, { location: back }).end();
      else response.end('policies');
    }),
  );
  const returning = originAt(`${own}/policies`, { credentials: token });
  assert.is((await returning.fetch(undefined, signal())).kind, 'fetched');
  assert.equal(paths, ['/policies', '/moved', '/chosen-by-the-other']);
  assert.equal(seen, ['Bearer secret', 'Bearer secret', undefined], 'another origin does not choose what is asked');
  assert.is(await findReason(await answering(({ url }) => `${url}x`)), 'redirect');
  assert.is(await findReason(await answering(() => 'file:///etc/passwd')), 'redirect');
  assert.is(await findReason(await answering(() => 'https://127.0.0.1:1/')), 'redirect');
  assert.is(await findReason(await answering(() => 'http://')), 'redirect');
});

/** What a server does, and the reason that is reported. */
const PROBLEMS: readonly (readonly [string, string, RequestListener])[] = [
  ['an error', 'status', (_, response) => response.writeHead(500).end('x'.repeat(1_000_000))],
  ['no such file', 'status', (_, response) => response.writeHead(404).end()],
  ['a part of the file', 'status', (_, response) => response.writeHead(206).end('x')],
  ['missing credentials', 'credentials', (_, response) => response.writeHead(401).end()],
  ['no response', 'timeout', () => undefined],
  ['a body that stops', 'timeout', (_, response) => void response.writeHead(200, { 'content-length': 10 }).write('x')],
  ['a slow body', 'timeout', (_, response) => drip(response)],
  ['a declared size', 'too_large', (_, response) => response.writeHead(200, { 'content-length': 1e9 }).write('x')],
  ['an endless body', 'too_large', (_, response) => flood(response)],
  ['a truncated body', 'truncated', (_, response) => cut(response, { 'content-length': 100 })],
  ['a truncated chunked body', 'truncated', (_, response) => cut(response, {})],
  ['a compressed body', 'protocol', (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('x')],
  ['an unasked 304', 'status', (_, response) => response.writeHead(304).end()],
];

for (const [what, reason, listener] of PROBLEMS) {
  test(`${what}: ${reason}`, async () => {
    const limits = reason === 'timeout' ? SHORT_LIMITS : LIMITS;
    assert.is(await findReason(await startOrigin(listener, { limits })), reason);
  });
}

/** The same for what is not HTTP. */
const RAW: readonly (readonly [string, string, (socket: Socket) => void])[] = [
  ['garbage', 'protocol', (socket) => socket.end('\0\0garbage\r\n\r\n')],
  ['a connection that ends', 'unreachable', (socket) => socket.destroy()],
  ['headers without end', 'protocol', (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'y'.repeat(200_000)}`)],
  ['a slow header', 'timeout', (socket) => socket.write('HTTP/1.1 200 OK\r\nx')],
  [
    'a body that is longer than declared',
    'none',
    (socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nxyz'),
  ],
];

for (const [what, reason, listener] of RAW) {
  test(`${what}: ${reason}`, async () => {
    const server = createRawServer((socket) => {
      socket.on('error', () => undefined).once('data', () => listener(socket));
    });
    const limits = reason === 'timeout' ? SHORT_LIMITS : LIMITS;
    assert.is(await findReason(originAt(await listen(server), { limits })), reason);
  });
}

test('nobody listens: unreachable', async () => {
  const server = createServer();
  const url = await listen(server);
  server.close();
  const error = await catchError(originAt(url));
  assert.is(error.message, 'cannot be reached (ECONNREFUSED)');
});

test('a server that asks for a pause is understood', async () => {
  const hour = 3_600_000;
  const pauses = ['7', new Date(Date.now() + hour).toUTCString(), 'soon', '-1'];
  const origin = await startOrigin((_, response) =>
    response.writeHead(503, { 'retry-after': pauses.shift() as string }).end(),
  );
  const asked = [];
  for (let count = 0; count < 4; count++) asked.push((await catchError(origin)).retryAfter);
  assert.is(asked[0], 7000);
  assert.ok((asked[1] as number) > hour / 2 && (asked[1] as number) <= hour);
  assert.equal(asked.slice(2), [undefined, undefined]);
});

test('the name and errors have no credentials', async () => {
  const origin = originAt('http://127.0.0.1:1/policies?signature=secret');
  assert.is(origin.name, 'http://127.0.0.1:1/policies');
  assert.not.match((await catchError(origin)).message, 'secret');
});

test.run();

interface Options {
  readonly longPoll?: number;
  readonly credentials?: BundleCredentials;
  readonly limits?: typeof LIMITS;
}

async function startOrigin(listener: RequestListener, options: Options = {}): Promise<HttpOrigin> {
  return originAt(`${await listen(createServer(listener))}/policies`, options);
}

function originAt(
  written: string,
  { longPoll = 0, credentials = NO_CREDENTIALS, limits = LIMITS }: Options = {},
): HttpOrigin {
  const url = new URL(written);
  const client = new HttpClient({
    origin: url.origin,
    limits,
    tls: { ca: undefined, cert: undefined, key: undefined },
    proxy: { url: '', exceptions: [] },
  });
  const origin = new HttpOrigin({ url, client, credentials, longPoll });
  open.push(origin);
  return origin;
}

async function listen(server: Server): Promise<string> {
  open.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function signal(): AbortSignal {
  return new AbortController().signal;
}

async function catchError(origin: HttpOrigin): Promise<OriginError> {
  return origin.fetch(undefined, signal()).then(
    () => ({ reason: 'none' }) as unknown as OriginError,
    (error: OriginError) => error,
  );
}

async function findReason(origin: HttpOrigin): Promise<string> {
  return (await catchError(origin)).reason;
}

/** A byte again and again: never idle, never done. */
function drip(response: ServerResponse): void {
  response.writeHead(200);
  const timer = setInterval(() => response.write('x'), 100);
  response.on('close', () => clearInterval(timer));
}

function flood(response: ServerResponse): void {
  response.writeHead(200);
  const more = (): void => {
    while (!response.destroyed && response.write('x'.repeat(10_000)));
  };
  response.on('drain', more);
  more();
}

function cut(response: ServerResponse, headers: { readonly [name: string]: number }): void {
  response.writeHead(200, headers).write('half');
  setTimeout(() => response.destroy(), 50);
}
