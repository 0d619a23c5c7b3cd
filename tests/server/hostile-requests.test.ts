import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:http2';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { MAX_VIOLATIONS } from '../../proto/wire/violation.js';
import { send } from '../support/server/http-client.js';
import { findMessage, registry } from '../support/protobuf.js';

const test = suite('hostile requests to a server with little memory');

/** The heap of the server, in MB: the server itself uses a third of it. */
const HEAP = 128;
/** Responses have fewer bytes than this. */
const MAX_ANSWER = 100_000;
/** Trailers have fewer bytes than this: the limit of Java clients and of clients based on the C library. */
const MAX_TRAILERS = 8192;

let child: ChildProcess;
let http = '';
let grpc = '';
test.before(async () => {
  child = fork(fileURLToPath(new URL('server-child.ts', import.meta.url)), [], {
    execArgv: ['--import', 'tsx', `--max-old-space-size=${HEAP}`],
    stdio: ['ignore', 'inherit', 'ignore', 'ipc'],
  });
  const [message] = await once(child, 'message');
  ({ httpAddress: http, grpcAddress: grpc } = message as {
    readonly httpAddress: string;
    readonly grpcAddress: string;
  });
});
test.after(() => {
  child.kill('SIGKILL');
});

const SERVICE = '/authz.svc.v1.AuthzService';

interface Refusal {
  readonly message: string;
  readonly violations: number;
  /** Bytes of the whole response, without HTTP's own headers. */
  readonly size: number;
}

async function rest(path: string, body: string): Promise<Refusal> {
  const { text } = await send(http, 'POST', path, body);
  const { message, details } = JSON.parse(text) as {
    readonly message: string;
    readonly details?: readonly { readonly violations: readonly object[] }[];
  };
  return { message, violations: details?.[0]?.violations.length ?? 0, size: text.length };
}

async function connectJson(method: string, body: string): Promise<Refusal> {
  const { text } = await send(http, 'POST', method, body, { 'content-type': 'application/json' });
  const { message, details } = JSON.parse(text) as {
    readonly message: string;
    readonly details?: readonly {
      readonly value: string;
      readonly debug: { readonly violations: readonly object[] };
    }[];
  };
  const [detail] = details ?? [];
  if (detail === undefined) return { message, violations: 0, size: text.length };
  const encoded = toJson(
    findMessage('buf.validate.Violations'),
    fromBinary(findMessage('buf.validate.Violations'), Buffer.from(detail.value, 'base64')),
  ) as unknown as { readonly violations: readonly object[] };
  assert.is(encoded.violations.length, detail.debug.violations.length);
  return { message, violations: encoded.violations.length, size: text.length };
}

async function connectProto(method: string, body: Buffer): Promise<Refusal> {
  const { text } = await send(http, 'POST', method, body, { 'content-type': 'application/proto' });
  const { message, details } = JSON.parse(text) as {
    readonly message: string;
    readonly details?: readonly { readonly debug: { readonly violations: readonly object[] } }[];
  };
  return { message, violations: details?.[0]?.debug.violations.length ?? 0, size: text.length };
}

function framed(message: Buffer, kind = 0): Buffer {
  const head = Buffer.alloc(5);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

/** The refusal in gRPC trailers, which are checked against the limits of clients. */
function refusalOf(trailers: { readonly [name: string]: string }): Refusal {
  const size = Object.entries(trailers).reduce((sum, [name, value]) => sum + name.length + value.length + 32, 0);
  assert.ok(size < MAX_TRAILERS, `${size} bytes of trailers`);
  const details = trailers['grpc-status-details-bin'];
  const status =
    details === undefined
      ? {}
      : (toJson(
          findMessage('google.rpc.Status'),
          fromBinary(findMessage('google.rpc.Status'), Buffer.from(details, 'base64')),
          {
            registry,
          },
        ) as { readonly message?: string; readonly details?: readonly { readonly violations: readonly object[] }[] });
  const message = decodeURIComponent(trailers['grpc-message'] ?? '');
  if (details !== undefined) assert.is(status.message, message);
  return { message, violations: status.details?.[0]?.violations.length ?? 0, size };
}

async function grpcWeb(method: string, body: Buffer): Promise<Refusal> {
  const { text } = await send(http, 'POST', method, framed(body), { 'content-type': 'application/grpc-web' });
  const lines = text
    .slice(5)
    .split('\r\n')
    .filter((line) => line !== '');
  return refusalOf(
    Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])),
  );
}

/** Over the gRPC port or the HTTP port. */
async function overGrpc(
  address: string,
  method: string,
  body: Buffer,
  headers: { readonly [name: string]: string } = {},
): Promise<Refusal> {
  const session = connect(`http://${address}`, {
    maxHeaderListPairs: 1000,
    settings: { maxHeaderListSize: 10_000_000 },
  });
  const stream = session.request({
    ':method': 'POST',
    ':path': method,
    'content-type': 'application/grpc',
    te: 'trailers',
    ...headers,
  });
  const answer = new Promise<{ readonly [name: string]: string }>((resolve, reject) => {
    stream.on('response', (fields) => resolve(fields as never));
    stream.on('error', reject);
    session.on('error', reject);
  });
  stream.end(body);
  try {
    const fields = await answer;
    return refusalOf(
      Object.fromEntries(
        Object.entries(fields)
          .filter(([name]) => name.startsWith('grpc-'))
          .map(([name, value]) => [name, String(value)]),
      ),
    );
  } finally {
    session.destroy();
  }
}

/** The responses of all protocols to a request. */
async function answersOf(rpc: Rpc, json: string, proto: Buffer): Promise<readonly Refusal[]> {
  const name = `${rpc.service}/${rpc.method}`;
  const answers = [
    await connectJson(name, json),
    await connectProto(name, proto),
    await grpcWeb(name, proto),
    await overGrpc(grpc, name, framed(proto)),
    await overGrpc(http, name, framed(proto)),
  ];
  return [await rest(rpc.path, json), await rest(`${rpc.path}?pretty`, json), ...answers];
}

interface Rpc {
  readonly service: string;
  readonly method: string;
  readonly path: string;
  readonly request: string;
}

const checkResources: Rpc = {
  service: SERVICE,
  method: 'CheckResources',
  path: '/api/check/resources',
  request: 'authz.request.v1.CheckResourcesRequest',
};
const planResources: Rpc = {
  service: SERVICE,
  method: 'PlanResources',
  path: '/api/plan/resources',
  request: 'authz.request.v1.PlanResourcesRequest',
};
const checkResourceSet: Rpc = {
  service: SERVICE,
  method: 'CheckResourceSet',
  path: '/api/check',
  request: 'authz.request.v1.CheckResourceSetRequest',
};
const checkResourceBatch: Rpc = {
  service: SERVICE,
  method: 'CheckResourceBatch',
  path: '/api/check_resource_batch',
  request: 'authz.request.v1.CheckResourceBatchRequest',
};
const evaluations: Rpc = {
  service: '/authzen.authorization.v1.AuthorizationService',
  method: 'AccessEvaluationBatch',
  path: '/access/v1/evaluations',
  request: 'authzen.authorization.v1.AccessEvaluationBatchRequest',
};

const principal = { id: 'a', roles: ['user'] };
const resource = { kind: 'k', id: '1' };
const many = (count: number, text: string): string => Array.from({ length: count }, () => text).join(',');
/** Long keys, whose characters each take six or more bytes in a response. */
const longKeys = (count: number, length: number): string =>
  Array.from({ length: count }, (_, index) => `"${index}${'\\u0000'.repeat(length)}${'😀'.repeat(100)}":{}`).join(',');

const HOSTILE: readonly (readonly [name: string, rpc: Rpc, json: string, count: number])[] = [
  [
    'empty entries',
    checkResources,
    `{"principal":${JSON.stringify(principal)},"resources":[${many(100_000, '{}')}]}`,
    200_000,
  ],
  [
    'empty roles',
    checkResources,
    `{"principal":{"id":"a","roles":[${many(300_000, '""')}]},"resources":[{"actions":["a"],"resource":${JSON.stringify(resource)}}]}`,
    300_001,
  ],
  [
    'empty actions',
    checkResources,
    `{"principal":${JSON.stringify(principal)},"resources":[{"actions":[${many(300_000, '""')}],"resource":${JSON.stringify(resource)}}]}`,
    300_001,
  ],
  [
    'many tokens',
    checkResources,
    `{"principal":${JSON.stringify(principal)},"resources":[{"actions":["a"],"resource":${JSON.stringify(resource)}}],"auxData":{"jwts":{${longKeys(3000, 1)}}}}`,
    3000,
  ],
  [
    'long names of tokens',
    checkResources,
    `{"principal":${JSON.stringify(principal)},"resources":[{"actions":["a"],"resource":${JSON.stringify(resource)}}],"auxData":{"jwts":{${longKeys(3, 100_000)}}}}`,
    3,
  ],
  [
    'one long name of a token',
    checkResources,
    `{"principal":${JSON.stringify(principal)},"resources":[{"actions":["a"],"resource":${JSON.stringify(resource)}}],"auxData":{"jwts":{${longKeys(1, 100_000)}}}}`,
    1,
  ],
  [
    'a plan of empty actions',
    planResources,
    `{"principal":${JSON.stringify(principal)},"resource":{"kind":"k"},"actions":[${many(100_000, '""')}]}`,
    100_002,
  ],
  [
    'a set of empty actions',
    checkResourceSet,
    `{"principal":${JSON.stringify(principal)},"resource":{"kind":"k","instances":{"a":{}}},"actions":[${many(100_000, '""')}]}`,
    100_001,
  ],
  [
    'a batch of empty entries',
    checkResourceBatch,
    `{"principal":${JSON.stringify(principal)},"resources":[${many(100_000, '{}')}]}`,
    200_000,
  ],
  [
    'evaluations of parts with empty names',
    evaluations,
    `{"evaluations":[${many(
      20_000,
      '{"subject":{"properties":{"":1}},"resource":{"properties":{"":1}},"action":{"properties":{"":1}}}',
    )}]}`,
    60_000,
  ],
];

for (const [name, rpc, json, count] of HOSTILE) {
  test(`${name}: every protocol lists a few violations and their number`, async () => {
    const message = Buffer.from(
      toBinary(findMessage(rpc.request), fromJson(findMessage(rpc.request), JSON.parse(json) as JsonValue)),
    );
    for (const answer of await answersOf(rpc, json, message)) {
      assert.ok(answer.size < MAX_ANSWER, `${answer.size} bytes`);
      assert.ok(answer.violations >= 1 && answer.violations <= MAX_VIOLATIONS, `${answer.violations} violations`);
      const more = Number(/\n - and (\d+) more$/.exec(answer.message)?.[1] ?? 0);
      assert.is(answer.violations + more, count, answer.message.slice(-200));
    }
    assert.is((await send(http, 'GET', '/_authz/health')).status, 200);
  });
}

test('deeply nested JSON is rejected while it is read', async () => {
  const size = 7_000_000;
  for (const [open, close] of [
    ['[', ']'],
    ['{"a":', '}'],
  ] as const) {
    const levels = Math.floor(size / (open.length + close.length));
    const body = `{"principal":{"id":"a","roles":["r"],"attr":{"v":${open.repeat(levels)}1${close.repeat(levels)}}}}`;
    for (const rpc of [checkResources, planResources, checkResourceSet, checkResourceBatch, evaluations]) {
      for (const { message } of [await rest(rpc.path, body), await connectJson(`${rpc.service}/${rpc.method}`, body)])
        assert.match(message, 'nested deeper than 10000 levels');
    }
  }
});

/** A nested protobuf message: each level is a field of the next outer one, written from the innermost outwards. */
function nested(levels: number, tags: readonly number[], inner: Buffer): Buffer {
  const heads: Buffer[] = [];
  let length = inner.length;
  for (let level = 0; level < levels; level++) {
    for (const tag of tags) {
      const head = Buffer.from([tag, ...varint(length)]);
      heads.push(head);
      length += head.length;
    }
  }
  return Buffer.concat([...heads.reverse(), inner]);
}

function varint(value: number): readonly number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(Math.floor(value / 128))];
}

test('a deeply nested protobuf message is rejected while it is read', async () => {
  const list = nested(300_000, [0x0a, 0x32], Buffer.from([0x08, 0x00]));
  const struct = nested(200_000, [0x12, 0x0a, 0x2a], Buffer.from([0x08, 0x00]));
  const groups = Buffer.concat([Buffer.alloc(1_000_000, 0x7b), Buffer.alloc(1_000_000, 0x7c)]);
  const inAttributes = (value: Buffer): Buffer => nested(1, [0x12, 0x22, 0x1a], value);
  for (const bytes of [inAttributes(list), inAttributes(struct), groups]) {
    const name = `${SERVICE}/CheckResources`;
    for (const { message } of [
      await connectProto(name, bytes),
      await grpcWeb(name, bytes),
      await overGrpc(grpc, name, framed(bytes)),
      await overGrpc(http, name, framed(bytes)),
    ])
      assert.match(message, /^malformed message: .* too deep$/);
  }
});

test('compressed messages inflate up to a limit, and other protocols do not inflate', async () => {
  const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
  const name = `${SERVICE}/CheckResources`;
  for (const address of [grpc, http])
    assert.match(
      (await overGrpc(address, name, framed(bomb, 1), { 'grpc-encoding': 'gzip' })).message,
      'decompresses to a size larger than',
    );
  for (const contentType of ['application/json', 'application/proto'])
    assert.match(
      (await send(http, 'POST', name, bomb, { 'content-type': contentType, 'content-encoding': 'gzip' })).text,
      '"unimplemented"',
    );
  assert.match((await rest('/api/check/resources', bomb.toString('latin1'))).message, 'invalid JSON');
});

test('base64 that was encoded piece by piece costs no more than in one piece', async () => {
  const body = 'AA=='.repeat(1_500_000);
  const { text } = await send(http, 'POST', `${SERVICE}/CheckResources`, body, {
    'content-type': 'application/grpc-web-text',
  });
  assert.match(Buffer.from(text, 'base64').toString(), 'one whole message was expected');
});

test.run();
