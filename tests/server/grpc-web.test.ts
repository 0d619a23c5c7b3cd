import { type DescMessage, fromJson, toBinary, toJson } from '@bufbuild/protobuf';
import { createClient, type Transport } from '@connectrpc/connect';
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from '@connectrpc/connect-node';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListeningServer } from '../../server/main.js';
import { send } from '../support/server/http-client.js';
import { start } from '../support/server/start.js';
import { findMessage, findService } from '../support/protobuf.js';

const test = suite('gRPC-Web');
let server: ListeningServer;
test.before(async () => {
  server = await start();
});
test.after(() => server.close());

const service = findService('authz.svc.v1.AuthzService');
const PATH = '/authz.svc.v1.AuthzService/CheckResources';
const check = {
  requestId: 'r1',
  principal: { id: 'a', roles: ['user'] },
  resources: [{ resource: { kind: 'contact', id: 'c1' }, actions: ['read', 'delete'] }],
};
const message = Buffer.from(
  toBinary(
    findMessage('authz.request.v1.CheckResourcesRequest'),
    fromJson(findMessage('authz.request.v1.CheckResourcesRequest'), check),
  ),
);
const framed = (bytes: Buffer, kind = 0): Buffer => {
  const head = Buffer.alloc(5);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
};
const post = (
  body: string | Buffer,
  type = 'application/grpc-web',
  headers: { readonly [name: string]: string } = {},
) => send(server.httpAddress, 'POST', PATH, body, { 'content-type': type, ...headers });

const TRANSPORTS: readonly (readonly [string, (baseUrl: string) => Transport])[] = [
  ['gRPC-Web over HTTP/1.1', (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '1.1' })],
  ['gRPC-Web over HTTP/2', (baseUrl) => createGrpcWebTransport({ baseUrl, httpVersion: '2' })],
  ['Connect over HTTP/2', (baseUrl) => createConnectTransport({ baseUrl, httpVersion: '2' })],
  ['gRPC on the HTTP port', (baseUrl) => createGrpcTransport({ baseUrl })],
];

for (const [name, make] of TRANSPORTS) {
  test(`the published client of ${name} reads responses and errors`, async () => {
    // biome-ignore lint/suspicious/noExplicitAny: a client of a service known only at runtime has no types.
    const client = createClient(service, make(`http://${server.httpAddress}`)) as any;
    const request = fromJson(findMessage('authz.request.v1.CheckResourcesRequest'), check);
    const response = toJson(
      findMessage('authz.response.v1.CheckResourcesResponse'),
      await client.checkResources(request),
    ) as unknown as { results: readonly { actions: object }[] };
    assert.equal(response.results[0]?.actions, { delete: 'EFFECT_DENY', read: 'EFFECT_ALLOW' });
    try {
      await client.checkResources({});
      assert.unreachable();
    } catch (error) {
      assert.is(
        (error as { rawMessage: string }).rawMessage,
        'validation errors:\n - principal: value is required\n - resources: value is required',
      );
      assert.is((error as { code: number }).code, 3);
      const [detail] = (
        error as { findDetails: (type: DescMessage) => readonly { violations: readonly object[] }[] }
      ).findDetails(findMessage('buf.validate.Violations'));
      assert.is(detail?.violations.length, 2);
    }
  });
}

test('text is base64, even when it was encoded piece by piece', async () => {
  const bytes = framed(message);
  const pieces = [bytes.subarray(0, 4), bytes.subarray(4)].map((piece) => piece.toString('base64')).join('');
  for (const body of [bytes.toString('base64'), pieces]) {
    const answer = await post(body, 'application/grpc-web-text');
    assert.is(answer.headers['content-type'], 'application/grpc-web-text+proto');
    const decoded = Buffer.from(answer.text, 'base64');
    assert.is(decoded[0], 0);
    assert.match(decoded.toString('latin1'), /grpc-status: 0\r\n$/);
  }
});

test('text that is not base64 is refused', async () => {
  const text = framed(message).toString('base64').replace(/=+$/, '');
  const statusOf = async (body: string): Promise<string | undefined> =>
    /grpc-status: (\d+)/.exec(
      Buffer.from((await post(body, 'application/grpc-web-text')).text, 'base64').toString(),
    )?.[1];
  assert.is(await statusOf(text), '0');
  const [head, rest] = [text.slice(0, 8), text.slice(8)];
  for (const junk of ['!', '-', ' ', '\n', '\0', 'é', 'A=', '====A'])
    assert.is(await statusOf(`${head}${junk}${rest}`), '13', JSON.stringify(junk));
  for (const end of ['!', '=A', '\r\n']) assert.is(await statusOf(`${text}${end}`), '13', JSON.stringify(end));
});

test('every error is a gRPC status with HTTP status 200, and only handled calls name the release', async () => {
  const status = async (body: Buffer, headers = {}) => {
    const answer = await post(body, 'application/grpc-web+proto', headers);
    assert.is(answer.status, 200);
    assert.is(answer.headers['authz-call-id'] === undefined, answer.headers['authz-version'] === undefined);
    return [Number(/grpc-status: (\d+)/.exec(answer.text)?.[1]), answer.headers['authz-version']] as const;
  };
  assert.equal(await status(framed(message)), [0, '1.2.3']);
  assert.equal(await status(Buffer.alloc(0)), [13, undefined]);
  assert.equal(await status(framed(message).subarray(0, 20)), [13, undefined]);
  assert.equal(await status(framed(Buffer.from([0x0a]))), [13, undefined]);
  assert.equal(await status(framed(message, 1)), [12, undefined]);
  assert.equal(await status(framed(Buffer.alloc(0))), [3, undefined]);
  assert.equal(await status(framed(message), { 'grpc-timeout': '1n' }), [4, '1.2.3']);
  assert.equal(await status(framed(message), { 'grpc-timeout': 'x' }), [3, undefined]);
});

test('an oversized message is rejected with a status, even when it is not read', async () => {
  const small = await start(['server.advanced.grpc.maxRecvMsgSizeBytes=1000']);
  for (const length of [1500, 5000]) {
    const answer = await send(small.httpAddress, 'POST', PATH, framed(Buffer.alloc(length)), {
      'content-type': 'application/grpc-web',
    });
    assert.is(answer.status, 200);
    assert.match(answer.text, /grpc-status: 8\r\ngrpc-message: grpc: received message larger than max/);
  }
  await small.close();
});

test('other message formats are rejected', async () => {
  for (const type of ['application/grpc-web+json', 'application/grpc-web-texts', 'application/grpc'])
    assert.is((await post('x', type)).status, 415, type);
});

test.run();
