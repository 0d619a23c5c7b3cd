import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { fromJson, toBinary } from '@bufbuild/protobuf';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Listener, openListener } from '../../server/listen.js';
import type { Deliver } from '../../server/service/watcher.js';
import { type GrpcServer, grpcServer } from '../../server/transport/grpc/grpc-server.js';
import { type HttpServer, httpServer } from '../../server/transport/http/http-server.js';
import { send } from '../support/server/http-client.js';
import { testServices } from './services.js';
import { findMessage } from '../support/protobuf.js';
import { loopbackConfig } from '../support/server/start.js';

const test = suite('replies that wait for the audit log');

/** Calls whose entries are pending, in order, each with a function that ends the wait. */
interface Waiting {
  readonly code: string | undefined;
  readonly settle: (isDelivered: boolean) => void;
}
let arrived: (waiting: Waiting) => void;
const deliver: Deliver = (_call, { code }) =>
  new Promise((resolve, reject) =>
    arrived({ code, settle: (isDelivered) => (isDelivered ? resolve() : reject(new Error('the disk is full'))) }),
  );
const nextCall = (): Promise<Waiting> =>
  new Promise((resolve) => {
    arrived = resolve;
  });

let http: HttpServer;
let grpc: GrpcServer;
let listeners: readonly Listener[] = [];
let address = '';
let client: Client;
let ended: (string | undefined)[] = [];
test.before(async () => {
  const config = loopbackConfig('server.requestLimits.maxActionsPerResource=2');
  const services = testServices(config, { deliver, watchers: [{ ended: (_call, { code }) => void ended.push(code) }] });
  grpc = grpcServer(config.server, services);
  http = httpServer(config.server, services, { grpc: async () => grpc });
  listeners = await Promise.all(
    [http, grpc].map(({ take }) =>
      openListener({ address: config.server.httpListenAddr, socketMode: 0o766, onConnection: take }),
    ),
  );
  address = listeners[0]?.address ?? '';
  client = new Client(listeners[1]?.address ?? '', credentials.createInsecure());
});
test.before.each(() => {
  ended = [];
});
test.after(async () => {
  client.close();
  await Promise.all(listeners.map((listener) => listener.close()));
  await Promise.all([http.stop(1000), grpc.stop(1000)]);
});

const REQUEST = findMessage('authz.request.v1.CheckResourcesRequest');
const PATH = '/authz.svc.v1.AuthzService/CheckResources';
const checkOf = (...actions: string[]): object => ({
  requestId: 'r1',
  principal: { id: 'a', roles: ['user'] },
  resources: [{ resource: { kind: 'contact', id: 'c1' }, actions }],
});
const bytesOf = (request: object): Buffer => Buffer.from(toBinary(REQUEST, fromJson(REQUEST, request as never)));
const same = (bytes: Buffer): Buffer => bytes;

/** The outcome of a call by protocol: `ok`, or the code of the error. */
const PROTOCOLS: { readonly [name: string]: (request: object) => Promise<string> } = {
  rest: async (request) => {
    const { status, text } = await send(address, 'POST', '/api/check/resources', JSON.stringify(request));
    return status === 200 ? 'ok' : String(JSON.parse(text).code);
  },
  connect: async (request) => {
    const { status, text } = await send(address, 'POST', PATH, JSON.stringify(request), {
      'content-type': 'application/json',
    });
    return status === 200 ? 'ok' : String(JSON.parse(text).code);
  },
  'gRPC-Web': async (request) => {
    const bytes = bytesOf(request);
    const head = Buffer.alloc(5);
    head.writeUInt32BE(bytes.length, 1);
    const { text } = await send(address, 'POST', PATH, Buffer.concat([head, bytes]), {
      'content-type': 'application/grpc-web',
    });
    const code = /grpc-status: ?(\d+)/.exec(text)?.[1] ?? '';
    return code === '0' ? 'ok' : code;
  },
  gRPC: (request) =>
    new Promise((resolve) =>
      client.makeUnaryRequest(PATH, same, same, bytesOf(request), (error: ServiceError | null) =>
        resolve(error === null ? 'ok' : String(error.code)),
      ),
    ),
};
const UNAVAILABLE: { readonly [name: string]: string } = {
  rest: '14',
  connect: 'unavailable',
  'gRPC-Web': '14',
  gRPC: '14',
};
const INVALID: { readonly [name: string]: string } = {
  rest: '3',
  connect: 'invalid_argument',
  'gRPC-Web': '3',
  gRPC: '3',
};

for (const [name, ask] of Object.entries(PROTOCOLS)) {
  test(`${name}: the response is sent after the entries are written, and watchers see the end then`, async () => {
    const call = nextCall();
    let isAnswered = false;
    const answer = ask(checkOf('read')).finally(() => {
      isAnswered = true;
    });
    const { code, settle } = await call;
    // The response would have been sent by now: a complete exchange takes less time.
    await send(address, 'GET', '/_authz/health');
    assert.equal([code, isAnswered, ended], [undefined, false, []]);
    settle(true);
    assert.is(await answer, 'ok');
    assert.equal(ended, [undefined]);
  });

  test(`${name}: a call whose entries cannot be written is rejected`, async () => {
    const call = nextCall();
    const answer = ask(checkOf('read'));
    (await call).settle(false);
    assert.is(await answer, UNAVAILABLE[name]);
    assert.equal(ended, ['unavailable']);
  });

  test(`${name}: rejections wait, too; an invalid call has no entry and does not wait`, async () => {
    const call = nextCall();
    const answer = ask(checkOf('read', 'write', 'delete'));
    const { code, settle } = await call;
    assert.is(code, 'invalid_argument');
    settle(true);
    assert.is(await answer, INVALID[name]);
    assert.is(await ask({}), INVALID[name]);
  });
}

test.run();
