import { type ClientRequest, request } from 'node:http';
import { createClient } from '@connectrpc/connect';
import { createConnectTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Watcher } from '../../server/service/watcher.js';
import { send } from '../support/server/http-client.js';
import { within } from '../support/timeout.js';
import { closeWithoutDelay, start } from '../support/server/start.js';
import { findService } from '../support/protobuf.js';

const test = suite('health over Connect and gRPC-Web');
const PATH = '/grpc.health.v1.Health/';
const JSON_TYPE = { 'content-type': 'application/json' };
const service = findService('grpc.health.v1.Health');

/** The transports of the published client. */
const transports = (baseUrl: string) => [
  createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: false }),
  createConnectTransport({ baseUrl, httpVersion: '1.1', useBinaryFormat: true }),
  createConnectTransport({ baseUrl, httpVersion: '2', useBinaryFormat: true }),
  createGrpcWebTransport({ baseUrl, httpVersion: '1.1' }),
];

// biome-ignore lint/suspicious/noExplicitAny: a client of a service known only at runtime has no types.
const clientsOf = (address: string): readonly any[] =>
  transports(`http://${address}`).map((transport) => createClient(service, transport));

test('a service is serving, an unknown one is not found, and all are listed', async () => {
  const server = await start();
  for (const client of clientsOf(server.httpAddress)) {
    assert.is((await client.check({})).status, 1);
    assert.is((await client.check({ service: 'authz.svc.v1.AuthzService' })).status, 1);
    const error = await client
      .check({ service: 'nope' })
      .then(assert.unreachable, (thrown: { code: number; rawMessage: string }) => thrown);
    assert.equal([error.code, error.rawMessage], [5, 'unknown service']);
    assert.ok(Object.keys((await client.list({})).statuses).includes(''));
  }
  const check = (body: string) => send(server.httpAddress, 'POST', `${PATH}Check`, body, JSON_TYPE);
  assert.is((await check('')).text, '{"status":"SERVING"}');
  assert.is((await check('{"service":1}')).status, 400);
  assert.is((await check('{"x":1}')).status, 400);
  assert.is((await send(server.httpAddress, 'POST', `${PATH}Nope`, '{}', JSON_TYPE)).status, 404);
  assert.is((await send(server.httpAddress, 'GET', `${PATH}Check`)).status, 405);
  await server.close();
});

test('health calls are not observed by watchers', async () => {
  let seen = 0;
  const watcher: Watcher = {
    began: () => {
      seen += 1;
    },
  };
  const server = await start([], undefined, [watcher]);
  await send(server.httpAddress, 'POST', `${PATH}Check`, '{}', JSON_TYPE);
  await send(server.httpAddress, 'POST', `${PATH}Check`, '{', JSON_TYPE);
  assert.is(seen, 0);
  await server.close();
});

test('a watch receives the current status and NOT_SERVING on stop, and then its stream ends', async () => {
  const server = await start(['server.shutdownGrace=0s']);
  const clients = clientsOf(server.httpAddress);
  let waiting = clients.length;
  let begun = (): void => {};
  const allBegun = new Promise<void>((resolve) => {
    begun = () => {
      waiting -= 1;
      if (waiting === 0) resolve();
    };
  });
  const heard = clients.map(async (client) => {
    const statuses: number[] = [];
    for await (const { status } of client.watch({})) {
      statuses.push(status);
      begun();
    }
    return statuses;
  });
  await within(allBegun, 'the first status of each');
  await server.close();
  assert.equal(await Promise.all(heard), [
    [1, 2],
    [1, 2],
    [1, 2],
    [1, 2],
  ]);
});

test('a watch of an unknown service returns that, and a client that disconnects does not block the stop', async () => {
  const server = await start(['server.shutdownGrace=0s']);
  const [host, port] = server.httpAddress.split(':');
  const body = Buffer.concat([Buffer.from([0, 0, 0, 0, 18]), Buffer.from('{"service":"nope"}')]);
  const first = await new Promise<{ readonly text: string; readonly call: ClientRequest }>((resolve, reject) => {
    const call = request(
      {
        host,
        port,
        method: 'POST',
        path: `${PATH}Watch`,
        agent: false,
        headers: { 'content-type': 'application/connect+json' },
      },
      (response) => {
        response.on('data', (chunk: Buffer) => resolve({ text: chunk.toString('latin1').slice(5), call }));
        response.on('error', () => {});
      },
    );
    call.on('error', reject);
    call.end(body);
  });
  assert.is(first.text, '{"status":"SERVICE_UNKNOWN"}');
  first.call.destroy();
  await closeWithoutDelay(server.close);
});

test.run();
