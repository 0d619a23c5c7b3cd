import { mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ConfigError, loadConfig } from '../../server/config.js';
import { Peers } from '../../server/gateway/peers.js';
import { startServer } from '../../server/main.js';
import { openLog } from '../../server/observe/log/open-log.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { ALICE, startGateway, tokenOf } from '../support/server/gateway.js';

const folder = mkdtempSync(join(tmpdir(), 'authz-gateway-configuration-'));
test.after(() => rmSync(folder, { recursive: true, force: true }));

const ROUTE = '{methods: [GET], path: "/contacts/{id}", kind: contact, id: "{id}", action: view}';
const KEY_SETS = 'auxData: {jwt: {keySets: [{id: k, local: {data: e30}}]}}';

/** Why a configuration is refused, without its place; undefined if it is not. */
function problemOf(gateway: string, more = KEY_SETS): string | undefined {
  const file = join(folder, 'config.yaml');
  writeFileSync(file, `server: {gateway: {${gateway}}}\n${more}\n`);
  try {
    loadConfig({ file, environment: {} });
    return undefined;
  } catch (error) {
    assert.instance(error, ConfigError);
    return (error as Error).message;
  }
}

const withRoutes = (...routes: readonly string[]): string | undefined =>
  problemOf(`enabled: true, peers: [127.0.0.0/8], routes: [${routes.join(', ')}]`);

test('a gateway needs peers, routes and keys', () => {
  assert.is(withRoutes(ROUTE), undefined);
  for (const [gateway, more, problem] of [
    [`enabled: true, routes: [${ROUTE}]`, KEY_SETS, /needs `server\.gateway\.peers`/],
    ['enabled: true, peers: [unix]', KEY_SETS, /needs `server\.gateway\.routes`/],
    [`enabled: true, peers: [unix], routes: [${ROUTE}]`, '', /needs `auxData\.jwt\.keySets`/],
    [
      `enabled: true, peers: [unix], routes: [${ROUTE}], token: {keySet: other}`,
      KEY_SETS,
      /needs `server\.gateway\.token\.keySet`/,
    ],
    [
      `enabled: true, peers: [unix], routes: [${ROUTE}]`,
      'auxData: {jwt: {disableVerification: true, keySets: [{id: k, local: {data: e30}}]}}',
      /contradicts `server\.gateway\.enabled`/,
    ],
    [
      `enabled: true, peers: [unix], routes: [${ROUTE}], pathHeader: x-forwarded-method`,
      KEY_SETS,
      /needs a different name for each header/,
    ],
  ] as const)
    assert.match(problemOf(gateway, more) ?? 'it is accepted', problem);
  assert.is(problemOf(`enabled: true, peers: [unix], routes: [${ROUTE}], principal: headers`, ''), undefined);
});

test('peers are networks or Unix sockets', () => {
  for (const peer of ['10.0.0.1', '10.0.0.0/33', '::1/129', 'localhost/8', '"*"', '10.0.0.0/-1', '"10.0.0.0/8 "'])
    assert.match(problemOf(`peers: [${peer}]`) ?? 'it is accepted', /a network such as/, peer);
});

test('names of headers that could be aliases of others are refused', () => {
  for (const header of ['x_method', 'x.method', '"x method"', ':method', 'x--method', '-x'])
    assert.match(
      problemOf(`methodHeader: "${header.replaceAll('"', '')}"`) ?? 'it is accepted',
      /a header name/,
      header,
    );
});

test('routes that could be read in two ways are refused, with their places', () => {
  const at = (fields: object): string =>
    JSON.stringify({
      methods: ['GET'],
      path: '/contacts/{id}',
      kind: 'contact',
      id: '{id}',
      action: 'view',
      ...fields,
    });
  for (const [routes, problem] of [
    [['[]'], /routes\[0\]` must be a map/],
    [[at({ method: 'GET' })], /routes\[0\]\.method/],
    [['{methods: [GET], path: /a, kind: a, id: a}'], /has no `action`/],
    [[at({ methods: [] })], /methods in upper case/],
    [[at({ methods: ['get'] })], /methods in upper case/],
    [[at({ methods: ['*'] })], /methods in upper case/],
    [[at({ path: 'contacts' })], /a path such as/],
    [[at({ path: '/contacts//{id}' })], /a path such as/],
    [[at({ path: '/contacts/../{id}' })], /a path such as/],
    [[at({ path: '/contacts/{id}*' })], /a path such as/],
    [[at({ path: '/{id}/{id}' })], /a path such as/],
    [[at({ path: '/contacts/%2f/{id}' })], /a path such as/],
    [[at({ path: '/contacts;a=b/{id}' })], /a path such as/],
    [[at({ id: '{name}' })], /the path has no `\{name\}`/],
    [[at({ attr: { team: '{team}' } })], /the path has no `\{team\}`/],
    [[at({ attr: ['team'] })], /attr` must be a map/],
    [[at({}), at({ path: '/contacts/{name}', id: '{name}' })], /routes\[1\]` matches the requests of another route/],
    [[at({}), at({ path: '/Contacts/{id}/notes' })], /`Contacts` differs from `contacts` only in case/],
  ] as const)
    assert.match(withRoutes(...routes) ?? 'it is accepted', problem);
});

test('addresses of peers are compared as addresses', () => {
  const peers = new Peers(['10.0.0.0/8', '::1/128', 'fd00::/8']);
  for (const peer of ['10.1.2.3:99', '[::1]:99', '[::ffff:10.1.2.3]:99', '[fd00::1%eth0]:99'])
    assert.ok(peers.includes(peer), peer);
  for (const peer of [
    '11.0.0.1:99',
    '[::2]:99',
    '[::ffff:11.0.0.1]:99',
    '@',
    '',
    'localhost:1',
    '[fe80::1%10.0.0.1]:9',
  ])
    assert.not.ok(peers.includes(peer), peer);
  assert.ok(new Peers(['unix']).includes('@'));
  assert.not.ok(new Peers(['unix']).includes('127.0.0.1:9'));
});

test('a proxy on the same machine may ask over a Unix socket', async () => {
  const socket = join(folder, 'gateway.sock');
  const token = await tokenOf(ALICE);
  for (const [peers, status] of [
    ['[unix]', 200],
    ['[127.0.0.0/8]', 403],
  ] as const) {
    const gateway = await startGateway([], { peers, address: `unix:${socket}` });
    const headers = {
      authorization: `Bearer ${token}`,
      'x-forwarded-method': 'GET',
      'x-forwarded-uri': '/contacts/1',
    };
    try {
      const answered = await new Promise<number | undefined>((resolve, reject) => {
        request({ socketPath: socket, path: '/_authz/forward-auth', headers }, (response) => {
          response.resume();
          resolve(response.statusCode);
        })
          .on('error', reject)
          .end();
      });
      assert.is(answered, status, peers);
    } finally {
      await gateway.close();
    }
  }
});

test('kinds and actions of routes that no policy names are warnings of the log', async () => {
  const file = join(folder, 'warned.yaml');
  writeFileSync(
    file,
    `server:
  httpListenAddr: 127.0.0.1:0
  grpcListenAddr: 127.0.0.1:0
  gateway:
    enabled: true
    peers: [127.0.0.0/8]
    principal: headers
    routes:
      - ${ROUTE}
      - {methods: [GET], path: "/x/{id}", kind: contact, id: "{id}", action: vieww}
      - {methods: [GET], path: "/y/{id}", kind: contacts, id: "{id}", action: view}
`,
  );
  const policy = `apiVersion: api.authz.dev/v1
resourcePolicy: {resource: contact, version: default, rules: [{actions: [view], effect: EFFECT_ALLOW, roles: [user]}]}
`;
  const written = join(folder, 'log');
  const output = openSync(written, 'w');
  const log = openLog({ output, errors: output, environment: {} });
  const { config } = loadConfig({ file, environment: {} });
  const server = await startServer(config, await loaded(compileTexts({ 'contact.yaml': policy })), { log });
  await server.close();
  const warnings = readFileSync(written, 'utf8')
    .split('\n')
    .filter((line) => line.includes('no policy'))
    .map((line) => /no policy[^"]*/.exec(line)?.[0]);
  assert.equal(warnings, ['no policy of kind `contact` names action `vieww`', 'no policy covers kind `contacts`']);
});

test.run();
