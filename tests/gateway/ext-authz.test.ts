import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, credentials, loadPackageDefinition, type ServiceError } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { ALICE, BOB, type GatewayServer, startGateway, tokenOf } from '../support/server/gateway.js';

/** Envoy's external authorization, asked by a gRPC client that knows more fields of Envoy than the server reads. */
const ENVOY = `syntax = "proto3";
package envoy.service.auth.v3;
message Address { string text = 1; }
message Peer { Address address = 1; string principal = 4; }
message HttpRequest {
  string id = 1;
  string method = 2;
  map<string, string> headers = 3;
  string path = 4;
  string host = 5;
  string scheme = 6;
  int64 size = 9;
  string protocol = 10;
  string body = 11;
  bytes raw_body = 12;
}
message Time { int64 seconds = 1; int32 nanos = 2; }
message Request { Time time = 1; HttpRequest http = 2; }
message AttributeContext {
  Peer source = 1;
  Peer destination = 2;
  Request request = 4;
  map<string, string> context_extensions = 10;
}
message CheckRequest { AttributeContext attributes = 1; }
message Status { int32 code = 1; string message = 2; }
message HeaderValue { string key = 1; string value = 2; }
message HeaderValueOption { HeaderValue header = 1; int32 append_action = 3; }
message HttpStatus { int32 code = 1; }
message DeniedHttpResponse { HttpStatus status = 1; repeated HeaderValueOption headers = 2; string body = 3; }
message OkHttpResponse { repeated HeaderValueOption headers = 2; repeated string headers_to_remove = 5; }
message CheckResponse {
  Status status = 1;
  oneof http_response {
    DeniedHttpResponse denied_response = 2;
    OkHttpResponse ok_response = 3;
    OkHttpResponse error_response = 5;
  }
}
service Authorization { rpc Check(CheckRequest) returns (CheckResponse); }
`;

interface Answer {
  readonly status: { readonly code: number };
  readonly http_response: string;
  readonly denied_response?: { readonly status: { readonly code: number }; readonly headers: readonly Header[] };
  readonly ok_response?: { readonly headers: readonly Header[]; readonly headers_to_remove: readonly string[] };
}

interface Header {
  readonly header: { readonly key: string; readonly value: string };
  readonly append_action: number;
}

type AuthorizationClient = Client & {
  readonly check: (request: object, done: (error: ServiceError | null, answer: Answer) => void) => void;
};

const folder = mkdtempSync(join(tmpdir(), 'authz-ext-authz-'));
let gateway: GatewayServer;
let clients: readonly AuthorizationClient[];
let alice: string;
let bob: string;
test.before(async () => {
  writeFileSync(join(folder, 'envoy.proto'), ENVOY);
  const definition = loadSync(join(folder, 'envoy.proto'), { keepCase: true, defaults: true, oneofs: true });
  // biome-ignore lint/suspicious/noExplicitAny: the library has no types for what it loads
  const { Authorization } = (loadPackageDefinition(definition) as any).envoy.service.auth.v3;
  gateway = await startGateway();
  // Both ports of the server.
  clients = [gateway.server.grpcAddress, gateway.server.httpAddress].map(
    (address) => new Authorization(address, credentials.createInsecure()),
  );
  [alice, bob] = await Promise.all([tokenOf(ALICE), tokenOf(BOB)]);
});
test.after(async () => {
  for (const client of clients) client.close();
  await gateway.close();
  rmSync(folder, { recursive: true, force: true });
});

function send(client: AuthorizationClient, request: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    client.check(request, (error, answer) => (error === null ? resolve(answer) : reject(error)));
  });
}

function ask(method: string, path: string, token: string, headers = {}, client = clients[0]): Promise<Answer> {
  const http = {
    id: '7',
    method,
    path,
    host: 'service',
    scheme: 'https',
    size: -1,
    protocol: 'HTTP/2',
    headers: { ':method': method, ':path': path, authorization: `Bearer ${token}`, ...headers },
  };
  const source = { address: { text: '10.0.0.1' }, principal: 'spiffe://x/y' };
  const attributes = { source, request: { time: { seconds: 1 }, http }, context_extensions: { a: 'b' } };
  return send(client as AuthorizationClient, { attributes });
}

const pairs = (headers: readonly Header[] | undefined): object =>
  Object.fromEntries((headers ?? []).map(({ header }) => [header.key, header.value]));

test('an allowed request overwrites identity headers, and removes unknown ones, on both ports', async () => {
  for (const client of clients) {
    const answer = await ask('DELETE', '/contacts/1?x=1', bob, {}, client);
    assert.is(answer.status.code, 0);
    assert.is(answer.http_response, 'ok_response');
    assert.equal(pairs(answer.ok_response?.headers), {
      'x-authz-principal': 'bob',
      'x-authz-roles': 'admin,employee',
    });
    assert.ok(answer.ok_response?.headers.every(({ append_action }) => append_action === 2));
    assert.equal(answer.ok_response?.headers_to_remove, ['x-authz-department']);
  }
});

test('a denied request is a denied response with its status', async () => {
  const denied = await ask('DELETE', '/contacts/1', alice);
  assert.equal(
    [denied.status.code, denied.http_response, denied.denied_response?.status.code],
    [7, 'denied_response', 403],
  );
  const unknown = await ask('GET', '/contacts/1', 'x.y.z');
  assert.equal([unknown.status.code, unknown.denied_response?.status.code], [16, 401]);
  assert.equal(pairs(unknown.denied_response?.headers), {
    'x-authz-principal': '',
    'x-authz-roles': '',
    'x-authz-department': '',
    'www-authenticate': 'Bearer',
  });
});

test('the request itself counts, not its headers, and ambiguous requests are denied', async () => {
  assert.is((await ask('GET', '/contacts/1', alice)).status.code, 0);
  assert.is((await ask('DELETE', '/contacts/1', alice, { 'x-forwarded-method': 'GET' })).status.code, 7);
  const bad = [
    '/contacts/..',
    '//contacts/1',
    '/contacts/%2f',
    '/contacts/1;x',
    '/contacts/!',
    '/contacts/ü',
    '',
    'contacts/1',
  ];
  for (const path of bad) assert.is((await ask('GET', path, alice)).status.code, 7, path);
  for (const name of ['x_authz_principal', 'x.authz.roles', 'x-http-method-override', 'x_forwarded_method'])
    assert.is((await ask('GET', '/contacts/1', alice, { [name]: 'admin' })).status.code, 7, name);
  const twoTokens = { authorization: `Bearer ${alice},Bearer ${bob}` };
  assert.is((await ask('GET', '/contacts/1', alice, twoTokens)).status.code, 16);
});

test('messages about nothing are denied', async () => {
  for (const request of [
    {},
    { attributes: {} },
    { attributes: { request: {} } },
    { attributes: { request: { http: {} } } },
  ])
    assert.is((await send(clients[0] as AuthorizationClient, request)).status.code, 7);
});

test('reflection over gRPC has the service and its messages', async () => {
  const protocol = loadSync(join(ROOT, 'proto/third_party/grpc/reflection/v1/reflection.proto'));
  // biome-ignore lint/suspicious/noExplicitAny: the library has no types for what it loads
  const { ServerReflection } = (loadPackageDefinition(protocol) as any).grpc.reflection.v1;
  for (const address of [gateway.server.grpcAddress, gateway.server.httpAddress]) {
    const client = new ServerReflection(address, credentials.createInsecure());
    const answerTo = (question: object): Promise<string> =>
      new Promise((resolve, reject) => {
        const call = client.ServerReflectionInfo();
        call.on('data', (answer: object) => resolve(JSON.stringify(answer)));
        call.on('error', reject);
        call.end(question);
      });
    assert.match(await answerTo({ listServices: '' }), '"envoy.service.auth.v3.Authorization"');
    assert.match(
      await answerTo({ fileContainingSymbol: 'envoy.service.auth.v3.Authorization' }),
      'fileDescriptorProto',
    );
    client.close();
  }
});

test.run();
