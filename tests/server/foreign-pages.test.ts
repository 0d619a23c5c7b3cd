import { hashSync } from 'bcryptjs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { ADMIN_SERVICE } from '../../server/service/services.js';
import { fullName } from '../../server/transport/rpc.js';
import { RPCS, STREAM_RPCS, UNSERVED_RPCS } from '../../server/transport/rpcs.js';
import { loaded, ROOT } from '../support/compiled.js';
import { send } from '../support/server/http-client.js';
import { loopbackConfig } from '../support/server/start.js';

/**
 * A browser adds the credentials of the admin to what a page of any site sends. Whatever it can send without asking the
 * server, and whatever says that it comes from elsewhere, is refused, on every path of the admin API.
 */
const test = suite('pages of other sites and the admin API');

const AUTHORIZATION = `Basic ${Buffer.from('admin:open sesame').toString('base64')}`;
const MESSAGE = /takes no requests of pages of other sites/;

let server: RunningServer;

test.before(async () => {
  const hash = Buffer.from(hashSync('open sesame', 4)).toString('base64');
  const config = loopbackConfig(
    'server.adminAPI.enabled=true',
    'server.adminAPI.adminCredentials.username=admin',
    `server.adminAPI.adminCredentials.passwordHash=${hash}`,
    'server.explain.enabled=true',
  );
  server = await startServer(config, await loaded(compileFolder(join(ROOT, 'policies'), { explain: true })));
});
test.after(() => server.close());

type Headers = { readonly [name: string]: string };

const FOREIGN: readonly Headers[] = [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { origin: 'http://127.0.0.1' },
  { origin: 'http://127.0.0.1:1' },
  { origin: 'http://evil.example/127.0.0.1' },
  { origin: '' },
];

const rest = RPCS.filter(({ service }) => service === ADMIN_SERVICE).map(
  ({ rest: { verb, path } }) => [verb, path] as const,
);
const PATHS = [
  ...rest,
  ['GET', '/admin/auditlog/list/KIND_DECISION'],
  ['GET', '/admin/no/such/path'],
  ['POST', '/admin/policy'],
  ['PUT', '/admin/policy'],
  ['DELETE', '/admin/schema'],
  ['GET', '/explorer/policies.json'],
] as const;

function call(verb: string, path: string, headers: Headers, body: string | Buffer = '{}') {
  return send(server.httpAddress, verb, path, verb === 'GET' || verb === 'DELETE' ? undefined : body, {
    authorization: AUTHORIZATION,
    ...headers,
  });
}

for (const [verb, path] of PATHS)
  test(`${verb} ${path}`, async () => {
    for (const headers of FOREIGN) {
      const { status, text } = await call(verb, path, { 'content-type': 'application/json', ...headers });
      assert.is(status, 403, `${JSON.stringify(headers)}: ${text}`);
      assert.match(text, MESSAGE);
    }
  });

const STREAMED = new Set(STREAM_RPCS.map(fullName));
const METHODS = [...RPCS, ...STREAM_RPCS, ...UNSERVED_RPCS]
  .filter(({ service }) => service === ADMIN_SERVICE)
  .map(fullName);

for (const method of METHODS)
  test(`${method} over Connect and gRPC-Web`, async () => {
    const types = STREAMED.has(method)
      ? ['application/connect+json', 'application/connect+proto']
      : ['application/json', 'application/proto'];
    const bodies = STREAMED.has(method) ? [framed('{}'), framed('')] : ['{}', ''];
    for (const headers of FOREIGN) {
      for (const [index, type] of types.entries()) {
        const { text } = await call('POST', method, { 'content-type': type, ...headers }, bodies[index]);
        assert.match(text, MESSAGE, `${type} ${JSON.stringify(headers)}`);
        assert.match(text, 'permission_denied');
      }
      const answer = await call('POST', method, { 'content-type': 'application/grpc-web', ...headers }, framed(''));
      assert.match(answer.text, /grpc-status: ?7/, JSON.stringify(headers));
    }
  });

function framed(message: string): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, Buffer.from(message)]);
}

test('a form cannot name the media type of JSON', async () => {
  for (const [verb, path] of rest) {
    if (verb === 'GET') continue;
    for (const type of [
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'text/plain',
      'text/plain; application/json',
      '',
    ]) {
      const { status, text } = await call(verb, path, type === '' ? {} : { 'content-type': type });
      assert.is(status, 400, `${path} ${type}`);
      assert.match(text, 'the media type must be application/json');
    }
  }
  for (const method of METHODS)
    assert.is((await call('POST', method, { 'content-type': 'text/plain' })).status, 415, method);
});

test('the page of the server itself, a typed address and programs are answered', async () => {
  const own: readonly Headers[] = [
    {},
    { 'sec-fetch-site': 'same-origin', origin: 'https://behind-a-proxy.example' },
    { 'sec-fetch-site': 'none' },
    { origin: `http://${server.httpAddress}` },
    { origin: `https://${server.httpAddress.toUpperCase()}` },
  ];
  for (const headers of own) {
    assert.is((await call('GET', '/admin/policies', headers)).status, 200, JSON.stringify(headers));
    const { status } = await call('POST', '/admin/bundle/promote', {
      'content-type': 'application/json; charset=utf-8',
      ...headers,
    });
    assert.is(status, 400, 'there is no candidate');
  }
});

test('checks of applications in browsers are not concerned', async () => {
  const body = JSON.stringify({
    principal: { id: 'a', roles: ['employee'] },
    resources: [{ resource: { kind: 'album', id: '1' }, actions: ['view'] }],
  });
  for (const headers of FOREIGN)
    assert.is(
      (await send(server.httpAddress, 'POST', '/api/check/resources', body, headers)).status,
      200,
      JSON.stringify(headers),
    );
});

test.run();
