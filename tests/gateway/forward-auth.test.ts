import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ALICE, BOB, type GatewayServer, startGateway, tokenOf } from '../support/server/gateway.js';
import { send } from '../support/server/http-client.js';

/** Answers to proxies over HTTP: statuses, identity headers, and what is refused. */
const IDENTITY = ['x-authz-principal', 'x-authz-roles', 'x-authz-department'];

let gateway: GatewayServer;
let alice: string;
let bob: string;
test.before(async () => {
  gateway = await startGateway();
  [alice, bob] = await Promise.all([tokenOf(ALICE), tokenOf(BOB)]);
});
test.after(() => gateway.close());

interface Asked {
  readonly method?: string;
  readonly uri?: string;
  readonly token?: string;
  readonly headers?: { readonly [name: string]: string };
}

interface Answered {
  readonly status: number;
  readonly identity: readonly unknown[];
  readonly challenge: unknown;
}

async function ask({ method = 'GET', uri = '/contacts/1', token = alice, headers = {} }: Asked): Promise<Answered> {
  const answer = await send(gateway.server.httpAddress, 'GET', '/_authz/forward-auth', undefined, {
    'X-Forwarded-Method': method,
    'X-Forwarded-Uri': uri,
    ...(token !== '' && { Authorization: `Bearer ${token}` }),
    ...headers,
  });
  assert.is(answer.text, '');
  return {
    status: answer.status,
    identity: IDENTITY.map((name) => answer.headers[name]),
    challenge: answer.headers['www-authenticate'],
  };
}

const statusOf = async (asked: Asked): Promise<number> => (await ask(asked)).status;

test('an allowed request gets 200 and the identity of its principal', async () => {
  assert.equal(await ask({}), { status: 200, identity: ['alice', 'employee', 'sales'], challenge: undefined });
  assert.equal((await ask({ method: 'DELETE', token: bob })).identity, ['bob', 'admin,employee', '']);
});

test('a denied request gets 403, one without a valid token 401, and both have empty identity headers', async () => {
  const nobody = ['', '', ''];
  assert.equal(await ask({ method: 'DELETE' }), { status: 403, identity: nobody, challenge: undefined });
  for (const token of [
    '',
    'x.y.z',
    `${alice}x`,
    await tokenOf({ ...ALICE, aud: 'other' }),
    await tokenOf({ sub: 'eve' }),
  ])
    assert.equal(await ask({ token }), { status: 401, identity: nobody, challenge: 'Bearer' }, token);
});

test('a route names kind, id, action and attributes; the query decides nothing', async () => {
  assert.is(await statusOf({ uri: '/contacts/1/notes/n1' }), 200);
  assert.is(await statusOf({ uri: '/contacts/1/notes/n2' }), 403);
  assert.is(await statusOf({ uri: '/contacts/a%20b?x=/../;%2f' }), 200);
  assert.is(await statusOf({ uri: '/contacts/export' }), 403);
  assert.is(await statusOf({ uri: '/contacts/export', token: bob }), 200);
});

test('methods are those of the route: HEAD and OPTIONS are not implied', async () => {
  assert.is(await statusOf({ method: 'HEAD', uri: '/contacts' }), 200);
  assert.is(await statusOf({ method: 'OPTIONS', uri: '/contacts' }), 200);
  for (const method of ['HEAD', 'OPTIONS', 'get', 'POST', 'TRACE', 'GET,GET', ''])
    assert.is(await statusOf({ method }), 403, method);
});

test('no match is 403', async () => {
  for (const uri of ['/', '/contact', '/contacts/', '/contacts/1/', '/contacts/1/notes', '/unknown/1', '*', ''])
    assert.is(await statusOf({ uri }), 403, uri);
});

test('only the configured pair of headers counts', async () => {
  const others = { 'X-Original-Method': 'GET', 'X-Original-Uri': '/contacts/1' };
  assert.is(await statusOf({ method: 'DELETE', headers: others }), 403);
  const answer = await send(gateway.server.httpAddress, 'GET', '/_authz/forward-auth', undefined, {
    ...others,
    Authorization: `Bearer ${alice}`,
  });
  assert.is(answer.status, 403);
});

test('aliases of headers, and headers that replace method or path, are refused', async () => {
  for (const name of [
    'X_Forwarded_Method',
    'X.Forwarded.Uri',
    'X-Forwarded_Host',
    'x_authz_principal',
    'X.Authz.Roles',
    'X-Authz_Department',
  ])
    assert.is(await statusOf({ headers: { [name]: 'GET' } }), 403, name);
  for (const name of [
    'X-HTTP-Method-Override',
    'X-Method-Override',
    'X_HTTP_Method',
    'X-Original-URL',
    'X-Rewrite-URL',
  ])
    assert.is(await statusOf({ headers: { [name]: 'DELETE' } }), 403, name);
  assert.is(await statusOf({ headers: { X_Custom: '1', 'X-Authz-Principal': 'eve' } }), 200);
});

test('paths that programs read differently are refused', async () => {
  const bad = [
    ...['//contacts/1', '/contacts//1', '/contacts/./1', '/contacts/../contacts/1', '/contacts/..', '/contacts/1/..'],
    ...['/contacts/%2e%2e', '/contacts/a%2fb', '/contacts/a%2Fb', '/contacts/a%5cb', '/contacts/a\\b'],
    ...['/contacts/1;v=2', '/contacts;x/1', '/contacts/1%3bx', '/contacts/%00', '/contacts/a%0ab', '/contacts/%7f'],
    ...['/contacts/%ff', '/contacts/%c0%af', '/contacts/%ed%a0%80', '/contacts/%', '/contacts/%4', '/contacts/%zz'],
    ...['/contacts/%252f', '/contacts/a%25', '/contacts/%41', '/contacts/%31', '/%63ontacts/1', '/contacts/1#x'],
    ...[
      '/contacts/EXPORT',
      '/contacts/Export',
      '/contacts/%ef%bc%8f',
      '/contacts/%ef%bc%8e%ef%bc%8e',
      '/contacts/a%3fb',
    ],
    ...[
      '/contacts/%23',
      '/contacts/%c2%85',
      '/contacts/%e2%80%8b',
      'contacts/1',
      'http://x/contacts/1',
      '/contacts/a b',
    ],
    ...[
      `/contacts/${'a'.repeat(8192)}`,
      '/a'.repeat(65),
      '/contacts/%20..',
      '/contacts/"x"',
      '/contacts/<x>',
      '/contacts/{x}',
    ],
  ];
  for (const uri of bad) assert.is(await statusOf({ uri, token: bob }), 403, uri);
});

test('other peers are answered with 403', async () => {
  const elsewhere = await startGateway([], { peers: '[10.0.0.0/8, "fd00::/8", unix]' });
  const answer = await send(elsewhere.server.httpAddress, 'GET', '/_authz/forward-auth', undefined, {
    'X-Forwarded-Method': 'GET',
    'X-Forwarded-Uri': '/contacts/1',
    Authorization: `Bearer ${alice}`,
  });
  assert.is(answer.status, 403);
  await elsewhere.close();
});

test('no decision is 503', async () => {
  const keySets = '- { id: k, remote: { url: "http://127.0.0.1:1/keys" } }';
  const lost = await startGateway([], { keySets });
  const answer = await send(lost.server.httpAddress, 'GET', '/_authz/forward-auth', undefined, {
    'X-Forwarded-Method': 'GET',
    'X-Forwarded-Uri': '/contacts/1',
    Authorization: `Bearer ${alice}`,
  });
  assert.is(answer.status, 503);
  assert.is(answer.headers['x-authz-principal'], '');
  await lost.close();
});

test('the principal may come from headers of the proxy', async () => {
  const other = await startGateway([
    'principal: headers',
    'methodHeader: X-Original-Method',
    'pathHeader: X-Original-URI',
  ]);
  const status = async (headers: { readonly [name: string]: string }): Promise<number> =>
    (
      await send(other.server.httpAddress, 'GET', '/_authz/forward-auth', undefined, {
        'X-Original-Method': 'GET',
        'X-Original-URI': '/contacts/1',
        ...headers,
      })
    ).status;
  assert.is(await status({ 'X-User-Id': 'alice', 'X-User-Roles': 'guest, employee' }), 200);
  assert.is(await status({ 'X-User-Id': 'alice', 'X-User-Roles': 'guest' }), 403);
  assert.is(await status({ 'X-User-Id': 'alice' }), 401);
  assert.is(await status({ Authorization: `Bearer ${alice}` }), 401);
  assert.is(await status({ 'X-User-Id': 'alice', 'X-User-Roles': 'employee', 'X.User.Id': 'bob' }), 403);
  await other.close();
});

test('over HTTP, ext_authz sends the original request line behind a prefix', async () => {
  const status = async (method: string, path: string, headers = {}): Promise<number> =>
    (
      await send(gateway.server.httpAddress, method, `/_authz/ext-authz${path}`, undefined, {
        Authorization: `Bearer ${alice}`,
        ...headers,
      })
    ).status;
  assert.is(await status('GET', '/contacts/1?x=1'), 200);
  assert.is(await status('DELETE', '/contacts/1'), 403);
  assert.is(await status('DELETE', '/contacts/1', { 'X-Forwarded-Method': 'GET' }), 403);
  assert.is(await status('GET', '/contacts/%2e%2e/contacts/1'), 403);
  assert.is(await status('GET', '//contacts/1'), 403);
  // Not a preflight request of a browser to this server.
  const preflight = { Origin: 'https://x.example', 'Access-Control-Request-Method': 'DELETE' };
  assert.is(await status('OPTIONS', '/contacts/1', preflight), 403);
  assert.is(await status('OPTIONS', '/contacts', preflight), 200);
});

test.run();
