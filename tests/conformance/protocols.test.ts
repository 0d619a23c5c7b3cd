import { type DescMethod, fromBinary, fromJson, type JsonValue, toBinary, toJson } from '@bufbuild/protobuf';
import { Client, credentials, type ServiceError } from '@grpc/grpc-js';
import { existsSync, readFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { type Code, CODES } from '../../server/service/rpc-error.js';
import { ADMIN_SERVICE } from '../../server/service/services.js';
import { fullName, type RestRpc } from '../../server/transport/rpc.js';
import { RPCS } from '../../server/transport/rpcs.js';
import { send } from '../support/server/http-client.js';
import { profileConfig } from '../support/server/profile.js';
import { loaded, SHARED } from '../support/compiled.js';
import { bodyOf, type HttpCase } from './http-case.js';
import { skip } from '../support/skip.js';
import { registry } from '../support/protobuf.js';

/** Sends the recorded REST requests over every other protocol as well. All responses must be equal. */
const folder = join(SHARED, 'cases');
const test = suite('protocols answer alike');

/** Methods that the reference PDP does not have. */
const UNRECORDED: ReadonlySet<string> = new Set(['ActionSearch', 'ResourceSearch', 'SubjectSearch']);

/** The number of recorded calls of each method. */
const TOTALS: { readonly [method: string]: number } = {
  CheckResources: 80,
  PlanResources: 14,
  CheckResourceSet: 2,
  CheckResourceBatch: 1,
  AccessEvaluation: 4,
  AccessEvaluationBatch: 2,
};

/** A response without its call id, or an error: equal in every protocol. */
type Outcome = { readonly answer: unknown } | { readonly code: number; readonly message: string };

interface Target {
  readonly server: RunningServer;
  readonly grpc: Client;
  readonly rpc: RestRpc;
  readonly method: DescMethod;
}

if (existsSync(join(folder, 'http-cases.json'))) addCases();
else skip(import.meta.url, 'the recorded HTTP cases are not here (../shared/cases)');

test.run();

function addCases(): void {
  const { cases } = JSON.parse(readFileSync(join(folder, 'http-cases.json'), 'utf8')) as {
    readonly cases: readonly HttpCase[];
  };
  const servers = new Map<string, RunningServer>();
  const clients = new Map<string, Client>();
  test.before(async () => {
    const bundle = await loaded(await compileFolder(join(folder, 'http-cases-policies')));
    for (const profile of ['main', 'limits', 'bare']) {
      const server = await startServer(profileConfig(folder, profile), bundle);
      servers.set(profile, server);
      clients.set(
        profile,
        new Client(server.grpcAddress, credentials.createInsecure(), { 'grpc.max_receive_message_length': -1 }),
      );
    }
  });
  test.after(async () => {
    for (const client of clients.values()) client.close();
    await Promise.all([...servers.values()].map((server) => server.close()));
  });
  const posted = RPCS.filter(
    ({ service, method, rest }) => rest.verb === 'POST' && service !== ADMIN_SERVICE && !UNRECORDED.has(method),
  );
  test('the methods with recorded calls are the expected ones', () => {
    assert.equal(posted.map(({ method }) => method).sort(), Object.keys(TOTALS).sort());
  });
  for (const rpc of posted) {
    const due = cases.filter(({ method, path }) => method === rpc.rest.verb && path.split('?')[0] === rpc.rest.path);
    test(`${rpc.method} answers ${due.length} requests alike`, async () => {
      assert.is(due.length, TOTALS[rpc.method]);
      const method = registry.getService(rpc.service)?.methods.find(({ name }) => name === rpc.method) as DescMethod;
      for (const one of due)
        await compareProtocols(one, {
          server: servers.get(one.profile) as RunningServer,
          grpc: clients.get(one.profile) as Client,
          rpc,
          method,
        });
    });
  }
}

async function compareProtocols(one: HttpCase, target: Target): Promise<void> {
  const { server, rpc, method } = target;
  const body = Buffer.from(bodyOf(one) ?? '');
  const rest = restOutcome((await send(server.httpAddress, 'POST', rpc.rest.path, body)).text);
  const json = await send(server.httpAddress, 'POST', fullName(rpc), body, { 'content-type': 'application/json' });
  assert.equal(connectOutcome(json.status, json.text), rest, `${one.id} over Connect in JSON`);
  // JSON that is no valid message cannot be sent as protobuf. One with a duplicate key is valid only to the platform's
  // parser.
  const bytes = 'code' in rest && /JSON|duplicate/.test(rest.message) ? undefined : protobufOf(method, body);
  if (bytes === undefined) return;
  assert.equal(await grpcOutcome(target, bytes), rest, `${one.id} over gRPC`);
  assert.equal(await connectProtoOutcome(target, bytes), rest, `${one.id} over Connect in protobuf`);
  assert.equal(await grpcWebOutcome(target, bytes), rest, `${one.id} over gRPC-Web`);
}

function protobufOf({ input }: DescMethod, body: Buffer): Buffer | undefined {
  try {
    return Buffer.from(
      toBinary(input, fromJson(input, JSON.parse(body.length === 0 ? '{}' : body.toString('utf8')) as JsonValue)),
    );
  } catch {
    return undefined;
  }
}

function restOutcome(text: string): Outcome {
  const parsed = JSON.parse(text) as { readonly code?: number; readonly message?: string };
  return parsed.code === undefined ? answerOf(parsed) : { code: parsed.code, message: parsed.message as string };
}

function connectOutcome(status: number, text: string): Outcome {
  const parsed = JSON.parse(text) as { readonly code: Code; readonly message: string };
  return status === 200 ? answerOf(parsed) : { code: CODES[parsed.code].number, message: parsed.message };
}

function decoded({ output }: DescMethod, bytes: Uint8Array): Outcome {
  return answerOf(toJson(output, fromBinary(output, bytes)));
}

function answerOf(parsed: unknown): Outcome {
  const { authzCallId: _id, ...answer } = parsed as { readonly [field: string]: unknown };
  return { answer: JSON.parse(JSON.stringify(answer, unordered)) };
}

/** The library prints maps in the order of their entries. */
function unordered(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

function grpcOutcome({ grpc, rpc, method }: Target, bytes: Buffer): Promise<Outcome> {
  const same = (message: Buffer): Buffer => message;
  return new Promise((resolve) => {
    grpc.makeUnaryRequest(fullName(rpc), same, same, bytes, (error: ServiceError | null, reply?: Buffer) => {
      resolve(error === null ? decoded(method, reply as Buffer) : { code: error.code, message: error.details });
    });
  });
}

async function connectProtoOutcome({ server, rpc, method }: Target, bytes: Buffer): Promise<Outcome> {
  const { status, body } = await sendBytes(server.httpAddress, fullName(rpc), bytes, 'application/proto');
  return status === 200 ? decoded(method, body) : connectOutcome(status, body.toString('utf8'));
}

async function grpcWebOutcome({ server, rpc, method }: Target, bytes: Buffer): Promise<Outcome> {
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  const { body } = await sendBytes(
    server.httpAddress,
    fullName(rpc),
    Buffer.concat([head, bytes]),
    'application/grpc-web+proto',
  );
  const length = body[0] === 0x80 ? -5 : body.readUInt32BE(1);
  const trailers = new Map(
    body
      .subarray(length + 10)
      .toString('utf8')
      .trim()
      .split('\r\n')
      .map((line) => line.split(/: (.*)/s) as [string, string]),
  );
  const code = Number(trailers.get('grpc-status'));
  if (code !== 0) return { code, message: decodeURIComponent(trailers.get('grpc-message') ?? '') };
  return decoded(method, body.subarray(5, 5 + length));
}

function sendBytes(
  address: string,
  path: string,
  bytes: Buffer,
  type: string,
): Promise<{ readonly status: number; readonly body: Buffer }> {
  const [host, port] = address.split(':');
  return new Promise((resolve, reject) => {
    const call = request(
      { host, port, path, method: 'POST', agent: false, headers: { 'content-type': type } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks) }));
      },
    );
    call.on('error', reject);
    call.end(bytes);
  });
}
