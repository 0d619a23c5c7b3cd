import { type DescMessage, fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { Client, credentials, type Metadata, type ServiceError } from '@grpc/grpc-js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ListeningServer } from '../../server/main.js';
import { start } from '../support/server/start.js';
import { findMessage, registry } from '../support/protobuf.js';

const test = suite('gRPC');
let server: ListeningServer;
let client: Client;
test.before(async () => {
  server = await start(['server.advanced.grpc.maxRecvMsgSizeBytes=2000']);
  client = new Client(server.grpcAddress, credentials.createInsecure());
});
test.after(async () => {
  client.close();
  await server.close();
});

const encode = (name: string, json: JsonValue): Buffer =>
  Buffer.from(toBinary(findMessage(name), fromJson(findMessage(name), json)));
const decode = (name: string, bytes: Uint8Array): JsonValue =>
  toJson(findMessage(name), fromBinary(findMessage(name), bytes), { registry });
const same = (bytes: Buffer): Buffer => bytes;

const CHECK = '/authz.svc.v1.AuthzService/CheckResources';
const check = {
  requestId: 'r1',
  principal: { id: 'a', roles: ['user'] },
  resources: [{ resource: { kind: 'contact', id: 'c1' }, actions: ['read', 'delete'] }],
};

interface Reply {
  readonly bytes: Buffer;
  readonly headers: Metadata;
}

function call(method: string, bytes: Buffer): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let headers: Metadata;
    const sent = client.makeUnaryRequest(method, same, same, bytes, (error, reply) => {
      if (error !== null) reject(error);
      else resolve({ bytes: reply as Buffer, headers });
    });
    sent.on('metadata', (metadata) => {
      headers = metadata;
    });
  });
}

async function failure(method: string, bytes: Buffer): Promise<ServiceError> {
  try {
    await call(method, bytes);
  } catch (error) {
    return error as ServiceError;
  }
  return assert.unreachable() as never;
}

test('a check returns the decisions and names the release', async () => {
  const { bytes, headers } = await call(
    CHECK,
    encode('authz.request.v1.CheckResourcesRequest', { ...check, includeMeta: true }),
  );
  assert.equal(headers.get('authz-version'), ['1.2.3']);
  const { authzCallId, ...rest } = decode('authz.response.v1.CheckResourcesResponse', bytes) as { authzCallId: string };
  assert.is(authzCallId.length, 26);
  assert.equal(headers.get('authz-call-id'), [authzCallId]);
  assert.equal(rest, {
    requestId: 'r1',
    results: [
      {
        resource: { id: 'c1', kind: 'contact' },
        actions: { delete: 'EFFECT_DENY', read: 'EFFECT_ALLOW' },
        meta: {
          actions: {
            delete: { matchedPolicy: 'resource.contact.vdefault' },
            read: { matchedPolicy: 'resource.contact.vdefault' },
          },
        },
      },
    ],
  });
});

test('an output can be NaN', async () => {
  const value = Buffer.alloc(8);
  value.writeDoubleLE(Number.NaN);
  const attr = Buffer.from([0x22, 0x0e, 0x0a, 0x01, 0x76, 0x12, 0x09, 0x11, ...value]);
  const resource = Buffer.from([0x0a, 0x01, 0x6b, 0x1a, 0x01, 0x31, ...attr]);
  const entry = Buffer.from([0x0a, 0x04, ...Buffer.from('echo'), 0x12, resource.length, ...resource]);
  const principal = encode('authz.request.v1.CheckResourcesRequest', { principal: { id: 'a', roles: ['u'] } });
  const { bytes } = await call(CHECK, Buffer.concat([principal, Buffer.from([0x22, entry.length]), entry]));
  assert.ok(bytes.includes(Buffer.from([0x11, ...value])));
});

test('an invalid request is rejected with the violations in the trailer', async () => {
  const error = await failure(
    CHECK,
    encode('authz.request.v1.CheckResourcesRequest', {
      ...check,
      principal: { id: '', roles: ['x', 'x'], attr: { '': 1 } },
    }),
  );
  assert.is(error.code, 3);
  assert.is(
    error.details,
    'validation errors:\n - principal.id: value is required\n - principal.roles: repeated value must contain unique items\n - principal.attr[""]: must be at least 1 characters',
  );
  const [bytes] = error.metadata.get('grpc-status-details-bin');
  const status = decode('google.rpc.Status', bytes as Buffer) as unknown as {
    code: number;
    details: readonly { violations: readonly { field: { elements: readonly object[] }; forKey?: boolean }[] }[];
  };
  assert.is(status.code, 3);
  assert.equal(status.details[0]?.violations[2], {
    field: {
      elements: [
        { fieldNumber: 3, fieldName: 'principal', fieldType: 'TYPE_MESSAGE' },
        {
          fieldNumber: 4,
          fieldName: 'attr',
          fieldType: 'TYPE_MESSAGE',
          keyType: 'TYPE_STRING',
          valueType: 'TYPE_MESSAGE',
          stringKey: '',
        },
      ],
    },
    rule: {
      elements: [
        { fieldNumber: 19, fieldName: 'map', fieldType: 'TYPE_MESSAGE' },
        { fieldNumber: 4, fieldName: 'keys', fieldType: 'TYPE_MESSAGE' },
        { fieldNumber: 14, fieldName: 'string', fieldType: 'TYPE_MESSAGE' },
        { fieldNumber: 2, fieldName: 'min_len', fieldType: 'TYPE_UINT64' },
      ],
    },
    ruleId: 'string.min_len',
    message: 'must be at least 1 characters',
    forKey: true,
  });
});

test('every error has its code', async () => {
  assert.is((await failure(CHECK, Buffer.from([0x0a]))).code, 13);
  const large = await failure(CHECK, encode('authz.request.v1.CheckResourcesRequest', { requestId: 'x'.repeat(3000) }));
  assert.is(large.code, 8);
  assert.is(large.details, 'grpc: received message larger than max (3003 vs. 2000)');
  assert.is(
    (await failure(CHECK, encode('authz.request.v1.CheckResourcesRequest', { requestId: 'x'.repeat(30_000) }))).code,
    8,
  );
  assert.is((await failure('/authz.svc.v1.AuthzService/PlanResources', Buffer.alloc(0))).code, 3);
  assert.is((await failure('/authz.svc.v1.AuthzService/Nope', Buffer.alloc(0))).code, 12);
  assert.is((await failure('/nope.Nope/Nope', Buffer.alloc(0))).code, 12);
  const token = await failure(
    CHECK,
    encode('authz.request.v1.CheckResourcesRequest', { ...check, auxData: { jwt: { token: 'x' } } }),
  );
  assert.is(token.code, 3);
  assert.is(token.details, 'invalid auxData');
  const crash = await failure(
    CHECK,
    encode('authz.request.v1.CheckResourcesRequest', {
      ...check,
      resources: [{ resource: { kind: 'k', id: '1' }, actions: ['crash'] }],
    }),
  );
  assert.is(crash.code, 13);
  assert.is(crash.details, 'Policy check failed');
});

test('server info returns the build', async () => {
  const { bytes } = await call('/authz.svc.v1.AuthzService/ServerInfo', Buffer.alloc(0));
  assert.equal(decode('authz.response.v1.ServerInfoResponse', bytes), {
    version: '1.2.3',
    commit: 'abc',
    buildDate: 'today',
    bundleHash: 'e253cbe640079a7a',
  });
});

test('health can be checked by service, listed and watched', async () => {
  const ask = (service: string) =>
    call('/grpc.health.v1.Health/Check', encode('grpc.health.v1.HealthCheckRequest', { service }));
  assert.equal(decode('grpc.health.v1.HealthCheckResponse', (await ask('')).bytes), { status: 'SERVING' });
  assert.equal(decode('grpc.health.v1.HealthCheckResponse', (await ask('authz.svc.v1.AuthzService')).bytes), {
    status: 'SERVING',
  });
  const unknown = await failure(
    '/grpc.health.v1.Health/Check',
    encode('grpc.health.v1.HealthCheckRequest', { service: 'x' }),
  );
  assert.is(unknown.code, 5);
  assert.is(unknown.details, 'unknown service');
  const list = await call('/grpc.health.v1.Health/List', Buffer.alloc(0));
  assert.equal(decode('grpc.health.v1.HealthListResponse', list.bytes), {
    statuses: {
      '': { status: 'SERVING' },
      'authz.svc.v1.AuthzService': { status: 'SERVING' },
      'authzen.authorization.v1.AuthorizationService': { status: 'SERVING' },
    },
  });
});

test('a health watch receives NOT_SERVING when the server stops, and its stream ends', async () => {
  const stopping = await start();
  const watcher = new Client(stopping.grpcAddress, credentials.createInsecure());
  const heard: JsonValue[] = [];
  const stream = watcher.makeServerStreamRequest('/grpc.health.v1.Health/Watch', same, same, Buffer.alloc(0));
  const ended = new Promise<void>((resolve) => stream.on('end', resolve));
  stream.on('error', () => {});
  await new Promise<void>((resolve) => {
    stream.on('data', (bytes: Buffer) => {
      heard.push(decode('grpc.health.v1.HealthCheckResponse', bytes));
      resolve();
    });
  });
  await stopping.close();
  await ended;
  watcher.close();
  assert.equal(heard, [{ status: 'SERVING' }, { status: 'NOT_SERVING' }]);
});

test('a watch of an unknown service returns that it is unknown', async () => {
  const stream = client.makeServerStreamRequest(
    '/grpc.health.v1.Health/Watch',
    same,
    same,
    encode('grpc.health.v1.HealthCheckRequest', { service: 'x' }),
  );
  stream.on('error', () => {});
  const bytes = await new Promise<Buffer>((resolve) => stream.on('data', resolve));
  assert.equal(decode('grpc.health.v1.HealthCheckResponse', bytes), { status: 'SERVICE_UNKNOWN' });
  stream.cancel();
});

for (const version of ['v1', 'v1alpha']) {
  test(`reflection ${version} lists the services and describes their types`, async () => {
    const ask = (question: JsonValue): Promise<JsonValue> => {
      const stream = client.makeBidiStreamRequest(
        `/grpc.reflection.${version}.ServerReflection/ServerReflectionInfo`,
        same,
        same,
      );
      return new Promise((resolve, reject) => {
        stream.on('error', reject);
        stream.on('data', (bytes: Buffer) =>
          resolve(decode(`grpc.reflection.${version}.ServerReflectionResponse`, bytes)),
        );
        stream.write(encode(`grpc.reflection.${version}.ServerReflectionRequest`, question));
        stream.end();
      });
    };
    const list = (await ask({ listServices: '*' })) as unknown as {
      listServicesResponse: { service: readonly { name: string }[] };
      originalRequest: object;
    };
    assert.equal(list.originalRequest, { listServices: '*' });
    assert.equal(
      list.listServicesResponse.service.map(({ name }) => name),
      [
        'authz.svc.v1.AuthzService',
        'authzen.authorization.v1.AuthorizationService',
        'grpc.health.v1.Health',
        'grpc.reflection.v1.ServerReflection',
        'grpc.reflection.v1alpha.ServerReflection',
      ],
    );
    for (const symbol of [
      'authz.svc.v1.AuthzService',
      'authz.svc.v1.AuthzService.CheckResources',
      'authz.request.v1.CheckResourcesRequest.ResourceEntry',
      'authz.engine.v1.PlanResourcesFilter.Expression.Operand',
      'authz.effect.v1.Effect',
      'grpc.health.v1.Health',
    ]) {
      const answer = (await ask({ fileContainingSymbol: symbol })) as {
        fileDescriptorResponse?: { fileDescriptorProto: readonly string[] };
      };
      assert.ok((answer.fileDescriptorResponse?.fileDescriptorProto.length ?? 0) > 0, symbol);
    }
    const file = (await ask({ fileByFilename: 'authz/svc/v1/svc.proto' })) as unknown as {
      fileDescriptorResponse: { fileDescriptorProto: readonly string[] };
    };
    const names = file.fileDescriptorResponse.fileDescriptorProto.map(
      (encoded) => (decodeFile(encoded) as { name: string }).name,
    );
    assert.is(names[0], 'authz/svc/v1/svc.proto');
    assert.ok(names.includes('google/protobuf/struct.proto'));
    const unknown = (await ask({ fileContainingSymbol: 'nope.Nope' })) as { errorResponse: { errorCode: number } };
    assert.is(unknown.errorResponse.errorCode, 5);
  });
}

function decodeFile(base64: string): unknown {
  return fromBinary(
    FileDescriptorSetSchema.file.messages.find((message) => message.name === 'FileDescriptorProto') as DescMessage,
    Buffer.from(base64, 'base64'),
  );
}

test.run();
