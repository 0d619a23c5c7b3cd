import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type AuthzClient,
  AuthzError,
  connectClient,
  inProcessClient,
  restClient,
} from '../../packages/client/index.js';
import { grpcClient } from '../../packages/client/grpc.js';
import { policies } from '../../generated/index.js';

/** Whatever a server, or a proxy in front of it, does: a failed call is never an allow. */
const test = suite('failing calls');

let answer: { status: number; body: string; headers?: { readonly [name: string]: string } } | undefined;
let received: { readonly headers: { readonly [name: string]: unknown } } | undefined;
let server: Server;
let url = '';
test.before(async () => {
  server = createServer((request, response) => {
    received = { headers: request.headers };
    if (answer === undefined) return;
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
test.after(() => {
  server.closeAllConnections();
  server.close();
});

const request = { principal: { id: 'a', roles: ['x'] }, resource: { kind: 'k', id: '1' }, action: 'read' } as const;
const failureOf = async (client: AuthzClient, options = {}): Promise<string> => {
  const { principal, resource, action } = request;
  const codes: string[] = [];
  for (const call of [
    () => client.isAllowed(request, options),
    () => client.for(principal).can(action, resource, options),
  ]) {
    const outcome = await call().then(String, (error: unknown) => error);
    codes.push(outcome instanceof AuthzError ? outcome.code : `no AuthzError: ${outcome}`);
  }
  const [isAllowed = '', can] = codes;
  return can === isAllowed ? isAllowed : `isAllowed fails with ${isAllowed}, can with ${can}`;
};
const overHttp = (options = {}): readonly AuthzClient[] => [
  restClient({ url, ...options }),
  connectClient({ url, ...options }),
];
const GOOD = { resource: { kind: 'k', id: '1' }, actions: { read: 'EFFECT_ALLOW' } };

test('a response to the request is returned', async () => {
  answer = { status: 200, body: JSON.stringify({ results: [GOOD] }) };
  for (const client of overHttp()) {
    assert.is(await client.isAllowed(request), true);
    assert.is(await client.for(request.principal).can('read', request.resource), true);
  }
});

test('an invalid response, or one to another request, is a failure', async () => {
  for (const body of [
    '',
    'true',
    '[]',
    '<html>',
    '{"results":',
    '{}',
    '{"results":{}}',
    JSON.stringify({ results: [] }),
    JSON.stringify({ results: [GOOD, GOOD] }),
    JSON.stringify({ results: [{ ...GOOD, resource: { kind: 'k', id: '2' } }] }),
    JSON.stringify({ results: [{ ...GOOD, resource: { kind: 'other', id: '1' } }] }),
    JSON.stringify({ results: [{ ...GOOD, actions: {} }] }),
    JSON.stringify({ results: [{ ...GOOD, actions: { write: 'EFFECT_ALLOW' } }] }),
    JSON.stringify({ results: [{ ...GOOD, actions: { read: true } }] }),
    JSON.stringify({ results: [{ ...GOOD, actions: { read: 'EFFECT_UNSPECIFIED' } }] }),
    JSON.stringify({ results: [{ ...GOOD, actions: ['EFFECT_ALLOW'] }] }),
  ]) {
    answer = { status: 200, body };
    for (const client of overHttp()) assert.is(await failureOf(client), 'internal', body);
  }
});

test('a plan without a filter, or with a filter of unknown kind, is a failure', async () => {
  for (const filter of [
    undefined,
    {},
    { kind: 'KIND_UNSPECIFIED' },
    { kind: 'KIND_CONDITIONAL' },
    { kind: 'KIND_CONDITIONAL', condition: { else: 1 } },
  ]) {
    answer = { status: 200, body: JSON.stringify({ filter }) };
    for (const client of overHttp()) {
      const error = await client
        .plan({ principal: request.principal, resource: { kind: 'k' }, actions: ['read'] })
        .then(String, ({ code }: AuthzError) => code);
      assert.is(error, 'internal');
    }
  }
});

test('an error response that a proxy wrote has the code of its HTTP status', async () => {
  for (const [status, code] of [
    [401, 'unauthenticated'],
    [403, 'permission_denied'],
    [404, 'unimplemented'],
    [429, 'unavailable'],
    [500, 'unknown'],
    [502, 'unavailable'],
    [503, 'unavailable'],
    [302, 'unknown'],
  ] as const) {
    answer = { status, body: JSON.stringify({ results: [GOOD] }), headers: { location: '/elsewhere' } };
    for (const client of overHttp()) assert.is(await failureOf(client), code, String(status));
  }
});

test('the headers function is called for every request', async () => {
  answer = { status: 200, body: JSON.stringify({ results: [GOOD] }) };
  let call = 0;
  for (const client of overHttp({ headers: async () => ({ authorization: `Bearer ${++call}` }) })) {
    await client.isAllowed(request);
    assert.is(received?.headers['authorization'], `Bearer ${call}`);
  }
});

test('a server that does not respond times out as configured, and an abort ends the call at once', async () => {
  answer = undefined;
  for (const client of overHttp({ timeout: 50 })) assert.is(await failureOf(client), 'deadline_exceeded');
  for (const client of overHttp()) {
    assert.is(await failureOf(client, { timeout: 20 }), 'deadline_exceeded');
    const controller = new AbortController();
    const failure = failureOf(client, { signal: controller.signal });
    controller.abort();
    assert.is(await failure, 'canceled');
  }
  const silent = grpcClient({ address: url.slice('http://'.length), timeout: 100 });
  // The connection may end between the two calls.
  const codes = (await failureOf(silent)).replace('isAllowed fails with ', '').split(', can with ');
  for (const code of codes) assert.ok(code === 'deadline_exceeded' || code === 'unavailable', code);
  await silent.close();
});

test('closing a client fails pending and later calls', async () => {
  answer = undefined;
  for (const client of [...overHttp(), grpcClient({ address: '127.0.0.1:9' }), inProcessClient(policies)]) {
    const underWay = failureOf(client);
    await client.close();
    assert.ok(['canceled', 'no AuthzError: false'].includes(await underWay));
    assert.is(await failureOf(client), 'canceled');
  }
});

test('an unreachable server is `unavailable`', async () => {
  const address = '127.0.0.1:9';
  const grpc = grpcClient({ address });
  for (const client of [restClient({ url: `http://${address}` }), connectClient({ url: `http://${address}` }), grpc])
    assert.is(await failureOf(client), 'unavailable');
  await grpc.close();
});

test('an exception in fetch, headers or verifier is a failure like any other', async () => {
  const broken = (): never => {
    throw new Error('broken');
  };
  for (const client of [
    ...overHttp({ fetch: broken }),
    ...overHttp({ headers: broken }),
    grpcClient({ address: '127.0.0.1:9', metadata: broken }),
  ])
    assert.ok(['unavailable', 'internal'].includes(await failureOf(client)));
  const client = inProcessClient(policies, { verify: broken });
  const error = await client
    .isAllowed({ ...request, auxData: { jwt: { token: 'x' } } })
    .then(String, ({ code, message }: AuthzError) => `${code}: ${message}`);
  assert.is(error, 'invalid_argument: invalid auxData');
});

test('policies see the claims that a verifier returns', async () => {
  const seen: string[] = [];
  const verify = async ({ jwt }: { readonly jwt: { readonly token: string } | undefined }) => {
    seen.push(jwt?.token ?? '');
    return { jwt: { sub: 'a' } };
  };
  assert.is(
    await inProcessClient(policies, { verify }).isAllowed({ ...request, auxData: { jwt: { token: 'x' } } }),
    false,
  );
  assert.equal(seen, ['x']);
});

test('an invalid address is rejected at construction', () => {
  for (const bad of ['', 'localhost:3592', 'ftp://x', 'javascript:1'])
    assert.throws(
      () => restClient({ url: bad }),
      ({ code }: AuthzError) => code === 'invalid_argument',
    );
});

test.run();
