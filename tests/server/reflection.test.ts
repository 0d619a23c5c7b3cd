import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { DescMethod } from '@bufbuild/protobuf';
import { ConnectError, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { hashSync } from 'bcryptjs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Listener, openListener } from '../../server/listen.js';
import { adminService } from '../../server/admin/admin.js';
import { grpcServer } from '../../server/transport/grpc/grpc-server.js';
import { httpServer } from '../../server/transport/http/http-server.js';
import { ROOT } from '../support/compiled.js';
import { send } from '../support/server/http-client.js';
import { testServices } from './services.js';
import { registry } from '../support/protobuf.js';
import { loopbackConfig } from '../support/server/start.js';

const test = suite('reflection');
const BUF = join(ROOT, 'node_modules', '.bin', 'buf');

interface Listening {
  readonly http: Listener;
  readonly grpc: Listener;
  readonly stop: () => Promise<void>;
}

async function listening(hasAdmin: boolean): Promise<Listening> {
  const config = loopbackConfig();
  const admin = hasAdmin
    ? adminService({ username: 'admin', passwordHash: hashSync('open:sesame', 4) }, undefined)
    : undefined;
  const unreachable = () => assert.unreachable('no request is valid') as never;
  const explainer = { explain: unreachable, texts: unreachable };
  const services = testServices(config, { admin, explainer });
  const grpc = grpcServer(config.server, services);
  const http = httpServer(config.server, services, { grpc: async () => grpc });
  const open = (onConnection: typeof http.take): Promise<Listener> =>
    openListener({ address: config.server.httpListenAddr, socketMode: 0o766, onConnection });
  const listeners = { http: await open(http.take), grpc: await open(grpc.take) };
  const stop = async (): Promise<void> => {
    await Promise.all([listeners.http.close(), listeners.grpc.close()]);
    await Promise.all([http.stop(1000), grpc.stop(1000)]);
  };
  return { ...listeners, stop };
}

let withAdmin: Listening;
let withoutAdmin: Listening;
let listener: Listener;
test.before(async () => {
  withAdmin = await listening(true);
  withoutAdmin = await listening(false);
  listener = withoutAdmin.http;
});
test.after(async () => {
  await Promise.all([withAdmin.stop(), withoutAdmin.stop()]);
});

for (const protocol of ['grpc', 'connect', 'grpcweb']) {
  test(`buf finds the methods over ${protocol}`, async () => {
    const { stdout } = await promisify(execFile)(BUF, [
      'curl',
      '--list-methods',
      '--http2-prior-knowledge',
      '--protocol',
      protocol,
      `http://${listener.address}`,
    ]);
    assert.match(stdout, 'authz.svc.v1.AuthzService/CheckResources\n');
    assert.match(stdout, 'grpc.health.v1.Health/Watch\n');
    assert.not.match(stdout, 'AuthzAdminService');
  });
}

const path = (version: string): string =>
  `http://${listener.address}/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`;
const framed = (message: string | Buffer): Buffer =>
  Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), Buffer.from(message)]);

test('JSON requests are answered in order, over HTTP/1.1', async () => {
  const body = Buffer.concat([
    framed('{"listServices":"*"}'),
    framed('{"fileContainingSymbol":"nope.Nope"}'),
    framed('{"fileByFilename":"authz/effect/v1/effect.proto"}'),
  ]);
  for (const version of ['v1', 'v1alpha']) {
    const response = await fetch(path(version), {
      method: 'POST',
      headers: { 'content-type': 'application/connect+json' },
      body,
    });
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    assert.match(
      text,
      /"originalRequest":\{"listServices":"\*"\}.*"authz\.svc\.v1\.AuthzService".*"errorCode":5.*"fileDescriptorProto":\["/s,
    );
    assert.match(text, /\{\}$/);
  }
});

test('an unsupported kind of request has an error response, and the stream ends normally', async () => {
  // file_containing_extension is a message, in field 5; all_extension_numbers_of_type is a string, in field 6.
  for (const field of [5, 6]) {
    const unanswered = Buffer.from([field * 8 + 2, 2, 0x3a, 0x00]);
    const response = await fetch(path('v1'), {
      method: 'POST',
      headers: { 'content-type': 'application/connect+proto' },
      body: framed(unanswered),
    });
    const text = Buffer.from(await response.arrayBuffer()).toString('latin1');
    assert.match(text, 'not a question this server answers');
    assert.match(text, /\{\}$/);
  }
});

test('an oversized or invalid request ends the stream with an error', async () => {
  for (const [body, code] of [
    [Buffer.from([0, 1, 0, 0, 0]), 'resource_exhausted'],
    [framed('{"x":1}'), 'invalid_argument'],
    [Buffer.from([0, 0, 0]), 'invalid_argument'],
  ] as const) {
    const response = await fetch(path('v1'), {
      method: 'POST',
      headers: { 'content-type': 'application/connect+json' },
      body,
    });
    assert.match(await response.text(), `"code":"${code}"`);
  }
});

const TRANSPORTS: readonly (readonly [string, (server: Listening) => Transport])[] = [
  [
    'Connect in JSON',
    ({ http }) =>
      createConnectTransport({ baseUrl: `http://${http.address}`, httpVersion: '2', useBinaryFormat: false }),
  ],
  [
    'Connect in protobuf',
    ({ http }) =>
      createConnectTransport({ baseUrl: `http://${http.address}`, httpVersion: '2', useBinaryFormat: true }),
  ],
  ['gRPC-Web', ({ http }) => createGrpcWebTransport({ baseUrl: `http://${http.address}`, httpVersion: '2' })],
  ['gRPC on the HTTP port', ({ http }) => createGrpcTransport({ baseUrl: `http://${http.address}` })],
  ['gRPC', ({ grpc }) => createGrpcTransport({ baseUrl: `http://${grpc.address}` })],
];
const BASIC = `Basic ${Buffer.from('admin:open:sesame').toString('base64')}`;
const ADMIN = 'authz.svc.v1.AuthzAdminService';
const methodsOf = (service: string): readonly DescMethod[] => registry.getService(service)?.methods ?? [];

async function listed({ http }: Listening): Promise<readonly string[]> {
  const url = `http://${http.address}/grpc.reflection.v1.ServerReflection/ServerReflectionInfo`;
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/connect+json' },
    body: framed('{"listServices":""}'),
  });
  return [...(await response.text()).matchAll(/"name":"([^"]+)"/g)].map(([, name]) => String(name));
}

/** How a call with an empty request fails; undefined when it is served. */
async function failureOf(
  transport: Transport,
  method: DescMethod,
  authorization?: string,
): Promise<ConnectError | undefined> {
  const headers = authorization === undefined ? {} : { authorization };
  const leave = new AbortController();
  try {
    if (method.methodKind === 'unary') {
      await transport.unary(method as Parameters<Transport['unary']>[0], leave.signal, undefined, headers, {});
    } else {
      const requests = (async function* () {
        yield {};
      })();
      const { message } = await transport.stream(
        method as Parameters<Transport['stream']>[0],
        leave.signal,
        undefined,
        headers,
        requests,
      );
      // A watch may never end.
      for await (const _ of message) break;
    }
    return undefined;
  } catch (thrown) {
    return ConnectError.from(thrown);
  } finally {
    leave.abort();
  }
}

const ADMIN_SERVED = [
  'ListAuditLogEntries',
  'ExplainDecision',
  'GetPolicy',
  'GetSchema',
  'InspectPolicies',
  'ListPolicies',
  'ListSchemas',
  'ReloadStore',
  'ListSources',
  'GetRollout',
  'SetRollout',
  'PromoteBundle',
  'RollBackBundle',
];

async function reasonOfRest({ http }: Listening): Promise<string> {
  const { text } = await send(http.address, 'POST', '/admin/policy', undefined, { authorization: BASIC });
  const { code, message } = JSON.parse(text) as { code: number; message: string };
  assert.is(code, 12);
  return message;
}

for (const [protocol, make] of TRANSPORTS) {
  test(`every listed method is served or rejected with the reason of REST, over ${protocol}`, async () => {
    const transport = make(withAdmin);
    const reason = await reasonOfRest(withAdmin);
    assert.is(reason, 'policies and schemas are compiled into the build');
    const refused: string[] = [];
    const served: string[] = [];
    const services = await listed(withAdmin);
    assert.ok(services.includes(ADMIN));
    for (const method of services.flatMap(methodsOf)) {
      const name = `${method.parent.typeName}/${method.name}`;
      const failure = await failureOf(transport, method, BASIC);
      if (failure?.code === 12) assert.is(failure.rawMessage, reason, name);
      (failure?.code === 12 ? refused : served).push(name);
    }
    assert.is(refused.length, methodsOf(ADMIN).length - ADMIN_SERVED.length);
    assert.ok(
      refused.every((name) => name.startsWith(ADMIN)),
      refused.join(),
    );
    assert.is(served.length, services.flatMap(methodsOf).length - refused.length);
    for (const method of ADMIN_SERVED) assert.ok(served.includes(`${ADMIN}/${method}`), method);
  });

  test(`rejected methods require credentials first, over ${protocol}`, async () => {
    for (const method of methodsOf(ADMIN)) assert.is((await failureOf(make(withAdmin), method))?.code, 16, method.name);
  });

  test(`a disabled admin API is not listed and says so, over ${protocol}`, async () => {
    assert.not((await listed(withoutAdmin)).includes(ADMIN));
    const reason = await reasonOfRest(withoutAdmin);
    assert.is(reason, 'Admin service is disabled by the configuration');
    for (const method of methodsOf(ADMIN)) {
      const failure = await failureOf(make(withoutAdmin), method);
      assert.equal([failure?.code, failure?.rawMessage], [12, reason], method.name);
    }
  });
}

const QUESTIONS = 1024;
/** The number of round trips without progress after which no further request will be read. */
const PINGS = 30;

for (const protocol of ['grpc', 'connect+proto', 'grpc-web+proto']) {
  test(`requests are not read while the client reads no responses, as application/${protocol}`, async () => {
    const session = connectHttp2(`http://${listener.address}`);
    await once(session, 'connect');
    const path = '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo';
    const stream = session.request({
      ':method': 'POST',
      ':path': path,
      'content-type': `application/${protocol}`,
      te: 'trailers',
    });
    const ping = (): Promise<unknown> =>
      new Promise((resolve, reject) => session.ping((error) => (error === null ? resolve(undefined) : reject(error))));
    const host = 'h'.repeat(1024);
    // host: field 1; list_services: field 7, empty.
    const question = Buffer.concat([Buffer.from([0x0a, 0x80, 0x08]), Buffer.from(host), Buffer.from([0x3a, 0x00])]);
    const head = Buffer.from([0, 0, 0, 0, 0]);
    head.writeUInt32BE(question.length, 1);
    let taken = 0;
    const asked = (async () => {
      for (; taken < QUESTIONS; taken += 1)
        await new Promise((resolve) => stream.write(Buffer.concat([head, question]), resolve));
      stream.end();
    })();
    let before = -1;
    while (before < taken && taken < QUESTIONS) {
      before = taken;
      for (let count = 0; count < PINGS; count += 1) await ping();
    }
    assert.ok(taken > 0 && taken < QUESTIONS, `${taken} of ${QUESTIONS} questions were taken`);
    const chunks: Buffer[] = [];
    for await (const chunk of stream) chunks.push(chunk as Buffer);
    await asked;
    // A response has the host twice: in the repeated request, and as the valid host.
    assert.is(Buffer.concat(chunks).toString('latin1').split(host).length - 1, 2 * QUESTIONS);
    session.close();
  });
}

test.run();
