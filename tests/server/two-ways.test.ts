import { once } from 'node:events';
import { connect } from 'node:http2';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { REFERENCE_ALIAS } from '../../server/config/aliases.js';
import { type Listener, openListener } from '../../server/listen.js';
import type { CallEnd } from '../../server/service/watcher.js';
import { grpcServer } from '../../server/transport/grpc/grpc-server.js';
import { type HttpServer, httpServer } from '../../server/transport/http/http-server.js';
import { fullNames } from '../../server/transport/rpc.js';
import { RPCS } from '../../server/transport/rpcs.js';
import { type Answer, send } from '../support/server/http-client.js';
import { testServices } from './services.js';
import { loopbackConfig } from '../support/server/start.js';

/*
 * Checks, plans and health are answered before Fastify, which answers the same calls if their URL has a query, or
 * escapes (docs/decisions/messages-and-transports.md#0041). Both ways must agree on everything that a client or an operator sees.
 */
const test = suite('the two ways of checks and plans');
const LIMIT = 2000;
const ends: CallEnd[] = [];
let http: HttpServer;
let listener: Listener;

test.before(async () => {
  const config = loopbackConfig(`server.advanced.grpc.maxRecvMsgSizeBytes=${LIMIT}`);
  const services = testServices(config, {
    aliases: [REFERENCE_ALIAS],
    watchers: [{ ended: (_call, end) => void ends.push(end) }],
  });
  http = httpServer(config.server, services);
  listener = await openListener({ address: config.server.httpListenAddr, socketMode: 0o766, onConnection: http.take });
});
test.after(async () => {
  await listener.close();
  await http.stop(1000);
});

const HOT = RPCS.filter(({ isHot }) => isHot === true);
const PATHS = HOT.flatMap((rpc) => [rpc.rest.path, ...fullNames(rpc, [REFERENCE_ALIAS])]);
const JSON_TYPE = { 'content-type': 'application/json' };
const CHECK = JSON.stringify({
  principal: { id: 'anna', roles: ['user'] },
  resources: [{ resource: { kind: 'album', id: '1' }, actions: ['read', 'write'] }],
});
const CRASH = CHECK.replace('write', 'crash');
const REQUESTS: readonly (readonly [body: string | Buffer, headers: { readonly [name: string]: string }])[] = [
  [CHECK, JSON_TYPE],
  [CHECK, {}],
  [CRASH, JSON_TYPE],
  ['', JSON_TYPE],
  ['{', JSON_TYPE],
  ['{"a":1}', JSON_TYPE],
  ['x'.repeat(LIMIT * 2 + 1), JSON_TYPE],
  [JSON.stringify({ requestId: 'x'.repeat(LIMIT) }), JSON_TYPE],
  ['x'.repeat(LIMIT * 3), { ...JSON_TYPE, 'transfer-encoding': 'chunked' }],
  [CHECK, { 'content-type': 'nonsense' }],
  [CHECK, { 'content-type': ';' }],
  [CHECK, { ...JSON_TYPE, origin: 'https://a.example' }],
  [CHECK, { ...JSON_TYPE, 'grpc-timeout': '1x', 'connect-timeout-ms': 'x' }],
  [CHECK, { ...JSON_TYPE, 'grpc-timeout': '1n', 'connect-timeout-ms': '0' }],
  [CHECK, { ...JSON_TYPE, 'content-encoding': 'gzip' }],
  [Buffer.alloc(0), { 'content-type': 'application/proto' }],
  [Buffer.from([0xff]), { 'content-type': 'application/proto' }],
  [Buffer.alloc(5), { 'content-type': 'application/grpc-web' }],
  ['AAAAAAA=', { 'content-type': 'application/grpc-web-text' }],
];

test('have the same responses, and the watchers see the same calls', async () => {
  assert.is(PATHS.length, 6);
  for (const path of PATHS)
    for (const [body, headers] of REQUESTS) {
      const [direct, routed] = [await outcomeOf(path, body, headers), await outcomeOf(`${path}?a`, body, headers)];
      assert.equal(routed, direct, `${path} ${JSON.stringify(headers)} ${body.toString('utf8').slice(0, 80)}`);
    }
});

test('health has the same responses by its path, and by one with an escape', async () => {
  const queries = ['', '?', '?pretty', '?service=nobody', '?service=authz.v1.AuthzService&pretty', '#x', ';x'];
  for (const root of ['_authz', '_cerbos']) {
    for (const name of ['health', 'live'])
      for (const query of [...queries, '?maxBundleAge=x', '?maxBundleAge=1h'])
        for (const method of ['GET', 'HEAD']) {
          const rest = `${root.slice(1)}/${name}${query}`;
          const direct = await outcomeOf(`/_${rest}`, '', {}, method);
          assert.equal(await outcomeOf(`/%5F${rest}`, '', {}, method), direct, `${method} /_${rest}`);
        }
    for (const name of ['healthy', 'health/', 'HEALTH', 'health%2f'])
      assert.is((await send(listener.address, 'GET', `/${root}/${name}`)).status, 404, name);
    for (const method of ['POST', 'PUT', 'OPTIONS'])
      assert.is((await send(listener.address, method, `/${root}/health`)).status, 501, method);
  }
});

test('a first request is answered, whatever it asks for, and many at once', async () => {
  const config = loopbackConfig();
  const fresh = httpServer(config.server, testServices(config));
  const opened = await openListener({
    address: config.server.httpListenAddr,
    socketMode: 0o766,
    onConnection: fresh.take,
  });
  const answers = await Promise.all(
    ['/_authz/health', '/api/nothing', '/%', '/api/server_info', '/api/check', '/api/check/resources'].map((path) =>
      send(opened.address, path.startsWith('/api/check') ? 'POST' : 'GET', path, undefined, JSON_TYPE),
    ),
  );
  assert.equal(
    answers.map(({ status }) => status),
    [200, 404, 404, 200, 400, 400],
  );
  await opened.close();
  await fresh.stop(1000);
});

test('a first request that is a stream keeps the messages that arrive before it is answered', async () => {
  const config = loopbackConfig();
  const services = testServices(config);
  const fresh = httpServer(config.server, services, { grpc: async () => grpcServer(config.server, services) });
  const opened = await openListener({
    address: config.server.httpListenAddr,
    socketMode: 0o766,
    onConnection: fresh.take,
  });
  const session = connect(`http://${opened.address}`);
  const stream = session.request({
    ':method': 'POST',
    ':path': '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    'content-type': 'application/connect+json',
  });
  const question = Buffer.from('{"listServices":"*"}');
  stream.write(Buffer.concat([Buffer.from([0, 0, 0, 0, question.length]), question]));
  const [answer] = await once(stream, 'data');
  assert.match((answer as Buffer).toString('latin1'), '"originalRequest":{"listServices":"*"}');
  stream.end();
  await once(stream.resume(), 'end');
  session.close();
  await opened.close();
  await fresh.stop(1000);
});

/** The parts of a response, and of the report to the watchers, that may not depend on the way of the request. */
async function outcomeOf(
  path: string,
  body: string | Buffer,
  headers: Answer['headers'],
  method = 'POST',
): Promise<object> {
  ends.length = 0;
  const answer = await send(listener.address, method, path, body, headers as { readonly [name: string]: string });
  const id = /"(?:authz|cerbos)CallId":"[^"]*"/g;
  const { date, 'authz-call-id': callId, ...rest } = answer.headers;
  return {
    ...answer,
    text: answer.text.replace(id, ''),
    headers: { ...rest, hasId: callId !== undefined },
    ends: [...ends],
  };
}

test.run();
