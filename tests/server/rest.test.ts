import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListeningServer } from '../../server/main.js';
import { LAST_RESORT } from '../support/timeout.js';
import { send } from '../support/server/http-client.js';
import { start } from '../support/server/start.js';

const test = suite('REST');
let server: ListeningServer;
test.before(async () => {
  server = await start(['server.advanced.grpc.maxRecvMsgSizeBytes=2000']);
});
test.after(() => server.close());

const check = {
  requestId: 'r1',
  principal: { id: 'a', roles: ['user'] },
  resources: [{ resource: { kind: 'contact', id: 'c1', policyVersion: 'v', scope: '.' }, actions: ['read', 'delete'] }],
};
const PATH = '/api/check/resources';
const post = (body: unknown, path = PATH, headers = {}) =>
  send(server.httpAddress, 'POST', path, typeof body === 'string' ? body : JSON.stringify(body), headers);

test('a check returns one result per resource and a call id', async () => {
  const answer = await post(check);
  assert.is(answer.status, 200);
  assert.is(answer.headers['content-type'], 'application/json');
  assert.is(answer.headers['grpc-metadata-authz-version'], '1.2.3');
  assert.is(answer.headers['grpc-metadata-content-type'], 'application/grpc');
  const { authzCallId, ...rest } = JSON.parse(answer.text);
  assert.match(authzCallId, /^[0-9A-HJKMNP-TV-Z]{26}$/);
  assert.is(answer.headers['authz-call-id'], authzCallId);
  assert.equal(rest, {
    requestId: 'r1',
    results: [
      {
        resource: { id: 'c1', kind: 'contact', policyVersion: 'v', scope: '.' },
        actions: { delete: 'EFFECT_DENY', read: 'EFFECT_ALLOW' },
      },
    ],
  });
});

test('meta is included on request', async () => {
  const { results } = JSON.parse((await post({ ...check, includeMeta: true })).text);
  assert.equal(results[0].meta.actions.read, { matchedPolicy: 'resource.contact.vdefault', matchedScope: '.' });
});

test('the media type of a request does not matter', async () => {
  for (const type of [
    '',
    'text/plain',
    'application/xml',
    'nonsense',
    'application/json; charset=latin1',
    'multipart/form-data',
  ]) {
    assert.is((await post(check, PATH, { 'content-type': type })).status, 200, type);
  }
});

test('any `pretty` in the query, or its media type, indents responses and errors', async () => {
  for (const [path, headers] of [
    [`${PATH}?pretty`],
    [`${PATH}?x=1&pretty=false`],
    [PATH, { accept: 'application/json+pretty' }],
  ] as const) {
    assert.match((await post(check, path, headers)).text, '{\n  "requestId": "r1",\n  "results": [\n    {\n');
    assert.match((await post('{', path, headers)).text, '{\n  "code": 3,\n  "message": "unexpected EOF"\n}');
  }
  assert.not.match((await post(check, `${PATH}?prettyx=1`)).text, '\n');
});

test('responses of the handler name the release, earlier errors do not', async () => {
  const named = async (body: unknown) => (await post(body)).headers['grpc-metadata-authz-version'];
  assert.is(await named('{'), undefined);
  assert.is(await named({}), undefined);
  assert.is(await named({ ...check, auxData: { jwt: { token: 'x' } } }), '1.2.3');
});

test('a call with an id has it in a header, even if the body has no field for it', async () => {
  const id = async (body: unknown, path = PATH) =>
    (await post(body, path, { 'content-type': 'application/json' })).headers['authz-call-id'] as string | undefined;
  assert.is(await id('{'), undefined);
  assert.is(await id({}), undefined);
  assert.is((await id({ ...check, auxData: { jwt: { token: 'x' } } }))?.length, 26);
  const evaluation = {
    subject: { type: 'user', id: 'a' },
    action: { name: 'read' },
    resource: { type: 'contact', id: 'c1' },
  };
  assert.is((await id(evaluation, '/access/v1/evaluation'))?.length, 26);
});

test('a body over the protobuf size limit is rejected with its size', async () => {
  const answer = await post({ ...check, requestId: 'y'.repeat(3000) });
  assert.is(answer.status, 429);
  assert.match(answer.text, /^\{"code":8,"message":"grpc: received message larger than max \(30\d\d vs\. 2000\)"\}$/);
  const numbers = await post({ ...check, requestContext: { annotations: { n: new Array(500).fill(0) } } });
  assert.is(numbers.status, 429);
  const huge = await post('x'.repeat(5000));
  assert.is(huge.status, 429);
  assert.match(huge.text, '(5000 vs. 2000)');
});

test('an unexpected error is an internal error with its message', async () => {
  const answer = await post({ ...check, resources: [{ resource: { kind: 'k', id: '1' }, actions: ['crash'] }] });
  assert.is(answer.status, 500);
  assert.is(answer.text, '{"code":13,"message":"Policy check failed"}');
});

test('an expired deadline is an error, and so is a malformed one', async () => {
  const late = await post(check, PATH, { 'grpc-timeout': '1n' });
  assert.is(late.status, 504);
  assert.is(late.text, '{"code":4,"message":"context deadline exceeded"}');
  assert.is((await post(check, PATH, { 'grpc-timeout': '1H' })).status, 200);
  assert.is((await post(check, PATH, { 'grpc-timeout': 'x' })).status, 400);
});

test('outputs are printed as JSON values', async () => {
  const body = `{"principal":{"id":"a","roles":["u"]},"resources":[{"resource":{"kind":"values","id":"1","attr":{"v":[-0,1e21,1.0,{"__proto__":1}]}},"actions":["echo"]}]}`;
  assert.match((await post(body)).text, '"val":[-0,1e+21,1,{"__proto__":1}]');
});

test('server info and health respond to GET', async () => {
  const info = await send(server.httpAddress, 'GET', '/api/server_info?foo=bar');
  assert.equal(JSON.parse(info.text), { version: '1.2.3', commit: 'abc', buildDate: 'today' });
  assert.is(info.headers['grpc-metadata-authz-bundle-hash'], 'e253cbe640079a7a');
  const health = await send(server.httpAddress, 'GET', '/_authz/health');
  assert.is(health.text, '{"status":"SERVING"}\n');
  assert.is((await send(server.httpAddress, 'GET', '/_authz/health?service=authz.svc.v1.AuthzService')).status, 200);
  const unknown = await send(server.httpAddress, 'GET', '/_authz/health?service=nope');
  assert.is(unknown.status, 404);
  assert.is(unknown.text, '{"code":5,"message":"unknown service"}');
});

test('a server is live while its event loop runs', async () => {
  const live = await send(server.httpAddress, 'GET', '/_authz/live');
  assert.equal([live.status, live.text], [200, '{"status":"LIVE"}\n']);
  assert.is((await send(server.httpAddress, 'POST', '/_authz/live')).status, 501);
});

test("AuthZEN responses repeat the request id, also in errors, and metadata has the server's URL", async () => {
  const evaluation = {
    subject: { type: 'user', id: 'a' },
    resource: { type: 'contact', id: 'c1' },
    action: { name: 'read' },
  };
  for (const [body, status] of [
    [evaluation, 200],
    [{}, 400],
  ] as const) {
    const answer = await post(body, '/access/v1/evaluation', { 'x-request-id': 'abc' });
    assert.is(answer.status, status);
    assert.is(answer.headers['x-request-id'], 'abc');
  }
  assert.is((await post(evaluation, '/access/v1/evaluation')).headers['x-request-id'], undefined);
  assert.is((await post(check, PATH, { 'x-request-id': 'abc' })).headers['x-request-id'], undefined);
  const metadata = await send(server.httpAddress, 'GET', '/.well-known/authzen-configuration', undefined, {
    host: 'pdp.example:80',
  });
  assert.is(JSON.parse(metadata.text).policy_decision_point, 'http://pdp.example:80');
});

test('a wrong method on a known path is 501, without an Allow header', async () => {
  for (const [method, path] of [
    ['GET', PATH],
    ['PUT', PATH],
    ['DELETE', PATH],
    ['OPTIONS', PATH],
    ['POST', '/api/server_info'],
    ['HEAD', PATH],
    ['TRACE', PATH],
  ] as const) {
    const answer = await send(server.httpAddress, method, path);
    assert.is(answer.status, 501, `${method} ${path}`);
    assert.is(answer.headers['allow'], undefined);
    if (method !== 'HEAD') assert.is(answer.text, '{"code":12,"message":"Method Not Allowed"}');
  }
});

test('HEAD is answered as GET, without a body, on every path that has GET', async () => {
  for (const path of ['/_authz/health', '/_authz/live', '/api/server_info', '/.well-known/authzen-configuration']) {
    const [get, head] = [await send(server.httpAddress, 'GET', path), await send(server.httpAddress, 'HEAD', path)];
    assert.is(get.status, 200, path);
    assert.equal([head.status, head.text], [200, ''], path);
    for (const name of ['content-type', 'content-length']) assert.is(head.headers[name], get.headers[name], path);
  }
});

test('unknown paths are 404 in the format of their API', async () => {
  const get = (path: string) => send(server.httpAddress, 'GET', path);
  for (const path of ['/api', '/api/x', '/api/check/resources/', '/access/v1/x']) {
    const answer = await get(path);
    assert.is(answer.status, 404, path);
    assert.is(answer.text, '{"code":5,"message":"Not Found"}', path);
  }
  assert.match((await get('/admin/policy')).text, '"code":12');
  assert.match((await get('/api/playground/test')).text, '"code":12');
  for (const path of ['/x', '/apix', '/%zz']) {
    const answer = await get(path);
    assert.is(answer.status, 404, path);
    assert.is(answer.text, '404 page not found\n');
    assert.is(answer.headers['x-content-type-options'], 'nosniff');
  }
  const doubled = await get('/api//server_info?a=b');
  assert.is(doubled.status, 301);
  assert.is(doubled.headers['location'], '/api/server_info?a=b');
  // A double slash at the start must not become another host.
  assert.is((await get('//evil.example/x')).headers['location'], '/evil.example/x');
  assert.is((await get('//\\evil.example/x')).headers['location'], '/evil.example/x');
});

test('pipelined requests on one connection are answered in order, including chunked ones', async () => {
  const body = JSON.stringify(check);
  const plain = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
  const chunked = `POST ${PATH} HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
  const text = await raw(server.httpAddress, plain + chunked + plain, 3);
  assert.is(text.match(/HTTP\/1\.1 200/g)?.length, 3);
});

test('CORS headers follow the configuration', async () => {
  const limited = await start([
    'server.cors.allowedOrigins={https://app.example,https://*.dev.example}',
    'server.cors.allowedHeaders={X-Team}',
    'server.cors.maxAge=10m',
  ]);
  const ask = (origin: string, headers = {}, method = 'GET') =>
    send(limited.httpAddress, method, '/api/server_info', undefined, { origin, ...headers });
  assert.is((await ask('https://app.example')).headers['access-control-allow-origin'], 'https://app.example');
  assert.is((await ask('https://a.dev.example')).headers['access-control-allow-origin'], 'https://a.dev.example');
  assert.is((await ask('https://app.example')).headers['access-control-expose-headers'], 'Authz-Bundle-Hash');
  const foreign = await ask('https://app.example.evil');
  assert.is(foreign.headers['access-control-allow-origin'], undefined);
  assert.is(foreign.headers['access-control-expose-headers'], undefined);
  assert.is((await ask('https://evil')).headers['vary'], 'Origin');
  const preflight = await ask(
    'https://app.example',
    { 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-team' },
    'OPTIONS',
  );
  assert.is(preflight.status, 204);
  assert.is(preflight.headers['access-control-allow-methods'], 'POST');
  assert.is(preflight.headers['access-control-allow-headers'], 'x-team');
  assert.is(preflight.headers['access-control-max-age'], '600');
  const refused = await ask(
    'https://app.example',
    { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' },
    'OPTIONS',
  );
  assert.is(refused.status, 204);
  assert.is(refused.headers['access-control-allow-origin'], undefined);
  await limited.close();
});

/** Sends bytes and returns the data until `answers` responses have begun and the last one is complete. */
function raw(address: string, bytes: string, answers: number): Promise<string> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), host, () => socket.write(bytes));
    socket.setTimeout(LAST_RESORT, () => reject(new Error(`only: ${text}`)));
    socket.on('error', reject);
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      if (text.split('"authzCallId"').length > answers && text.endsWith('}')) {
        socket.destroy();
        resolve(text);
      }
    });
  });
}

test.run();
