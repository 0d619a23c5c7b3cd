import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { JsonValue } from '@bufbuild/protobuf';
import { hashSync } from 'bcryptjs';
import { readFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeExplainer } from '../../packages/analysis/explain/explain.js';
import { compileFolder } from '../../packages/cli/policies/compile.js';
import { folderCompiler } from '../../packages/cli/policies/served-folder.js';
import { PROCESS_CONTEXT } from '../../packages/cli/process-context.js';
import { fold } from '../../compiler/optimise/index.js';
import type { Program } from '../../compiler/ir/program.js';
import { loadConfig } from '../../server/config.js';
import { type RunningServer, startServer } from '../../server/main.js';
import { loaded, ROOT } from '../support/compiled.js';
import { messageType } from '../support/protobuf.js';
import { send } from '../support/server/http-client.js';
import { LOOPBACK } from '../support/server/start.js';

const test = suite('ExplainDecision');

const PATH = '/admin/explain/decision';
const METHOD = '/authz.svc.v1.AuthzAdminService/ExplainDecision';
const ADMIN = `Basic ${Buffer.from('admin:open sesame').toString('base64')}`;
const REQUEST = messageType('authz.request.v1.ExplainDecisionRequest');
const RESPONSE = messageType('authz.response.v1.ExplainDecisionResponse');

const principal = { id: 'bob', roles: ['employee'], attr: { title: 'manager', department: 'design' } };
const attr = {
  owner: 'alice',
  department: 'design',
  status: 'APPROVED',
  days: 45,
  country: 'NL',
  starts: '2099-01-01T00:00:00Z',
};
const question = { principal, resource: { kind: 'leave_request', id: 'l1', attr }, action: 'approve', near: 3 };

const servers = new Map<string, RunningServer>();
let lowered: Program;

test.before(async () => {
  const compilation = compileFolder(join(ROOT, 'policies'), { explain: true });
  lowered = fold(compilation.lowered as Program);
  const explaining = await loaded(compilation);
  const plain = await loaded(compileFolder(join(ROOT, 'policies')));
  const start = async (name: string, bundle: typeof plain, ...sets: readonly string[]): Promise<void> => {
    const { config } = loadConfig({ sets: [...LOOPBACK, ...sets], environment: {} });
    servers.set(name, await startServer(config, bundle));
  };
  await start('on', explaining, ...CREDENTIALS, 'server.explain.enabled=true');
  await start('plain bundle', plain, ...CREDENTIALS, 'server.explain.enabled=true');
  await start('off', explaining, ...CREDENTIALS);
  await start('no admin', explaining);
});
test.after(async () => {
  await Promise.all([...servers.values()].map((server) => server.close()));
});

test('actors are refused: explain takes a single principal', async () => {
  const acting = { ...question, principal: { ...principal, actors: [{ id: 'bot', roles: ['employee'] }] } };
  const { status, text } = await post('on', acting);
  assert.is(status, 400);
  assert.match(text, 'explain accepts only one principal: explain the principal and each of its actors separately');
});

test('a decision is explained as authzc explain does', async () => {
  const { status, text } = await post('on', question);
  assert.is(status, 200);
  const answer = JSON.parse(text) as {
    readonly effect: string;
    readonly steps: readonly { readonly rules: readonly { readonly name: string; readonly place: unknown }[] }[];
    readonly nearMisses: unknown;
    readonly authzCallId: string;
  };
  const expected = makeExplainer(lowered).explain(question, { near: 3 });
  assert.is(answer.effect, `EFFECT_${expected.decision}`);
  assert.equal(
    answer.steps.map(({ rules }) => rules.map(({ name, place }) => [name, place])),
    expected.steps.map(({ rules }) => rules.map(({ name, place }) => [name, place])),
  );
  assert.equal(answer.nearMisses, {
    sets: expected.nearMisses?.changes.map((changes) => ({ changes })),
    isComplete: true,
  });
  assert.match(answer.authzCallId, /^[0-9A-Z]{26}$/);
});

test('the JSON form is that of protobuf', async () => {
  const { text } = await post('on', { ...question, requestId: 'r1' });
  const json = JSON.parse(text) as { readonly authzCallId: string };
  assert.equal(RESPONSE.decode(RESPONSE.encode(json as unknown as JsonValue)), json);
});

test('without policies for the version, the response says which versions have some', async () => {
  const resource = { ...question.resource, policyVersion: 'defualt' };
  const { text } = await post('on', { ...question, resource });
  const { unreached } = JSON.parse(text) as { readonly unreached: string };
  assert.is(unreached, makeExplainer(lowered).explain({ ...question, resource }).unreached);
  assert.match(unreached, /^no policy of kind `leave_request` has version `defualt`: .*; did you mean `default`\?$/);
  assert.not.match((await post('on', question)).text, '"unreached"');
});

test('all protocols answer alike', async () => {
  const rest = withoutTime(JSON.parse((await post('on', question)).text));
  const json = await post('on', question, { path: METHOD, 'content-type': 'application/json' });
  assert.equal(withoutTime(JSON.parse(json.text)), rest, 'Connect in JSON');
  const bytes = REQUEST.encode(question as JsonValue);
  const proto = await sendBytes(METHOD, bytes, 'application/proto');
  assert.equal(withoutTime(RESPONSE.decode(proto)), rest, 'Connect in protobuf');
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  const web = await sendBytes(METHOD, Buffer.concat([head, bytes]), 'application/grpc-web+proto');
  assert.equal(withoutTime(RESPONSE.decode(web.subarray(5, 5 + web.readUInt32BE(1)))), rest, 'gRPC-Web');
  assert.equal(withoutTime(RESPONSE.decode((await grpc('on', bytes)) as Buffer)), rest, 'gRPC');
});

test('only the admin learns why', async () => {
  const bytes = REQUEST.encode(question as JsonValue);
  for (const authorization of [undefined, `Basic ${Buffer.from('admin:wrong').toString('base64')}`]) {
    const { status, headers, text } = await post('on', question, { authorization });
    assert.is(status, 401);
    assert.match(String(headers['www-authenticate']), /^Basic/);
    assert.is((JSON.parse(text) as { readonly code: number }).code, 16);
    assert.is(((await grpc('on', bytes, authorization ?? '')) as ServiceError).code, 16);
  }
  assert.is((await post('on', {}, { authorization: undefined })).status, 401, 'before the request is validated');
});

test('what is off, or cannot be explained, says so', async () => {
  const bytes = REQUEST.encode(question as JsonValue);
  const off = await post('off', question);
  assert.equal([off.status, JSON.parse(off.text).code], [501, 12]);
  assert.match(off.text, /server\.explain\.enabled/);
  assert.is(((await grpc('off', bytes)) as ServiceError).code, 12);
  const none = await post('no admin', question);
  assert.equal([none.status, JSON.parse(none.text).code], [404, 12]);
  assert.is(((await grpc('no admin', bytes)) as ServiceError).code, 12);
  const plain = await post('plain bundle', question);
  assert.equal([plain.status, JSON.parse(plain.text).code], [400, 9]);
  assert.match(plain.text, /authzc compile --explain/);
  assert.is(((await grpc('plain bundle', bytes)) as ServiceError).code, 9);
});

test('the texts of the policies are shown to the admin, where decisions are explained', async () => {
  for (const [server, status, code] of [
    ['off', 501, 12],
    ['plain bundle', 400, 9],
  ] as const) {
    const refused = await policyTexts(server);
    assert.equal([refused.status, JSON.parse(refused.text).code], [status, code]);
  }
  assert.is((await policyTexts('on', 'Basic eA==')).status, 401);
  const { status, text } = await policyTexts('on');
  assert.is(status, 200);
  const { files } = JSON.parse(text) as { readonly files: readonly { readonly path: string; readonly text: string }[] };
  for (const { path, text: own } of files) assert.is(own, readFileSync(join(ROOT, 'policies', path), 'utf8'));
  assert.ok(files.some(({ path }) => path === 'album.yaml'));
});

test('the admin API returns policies and schemas from bundles with their texts', async () => {
  const get = (server: string, path: string): ReturnType<typeof send> =>
    send(httpOf(server), 'GET', path, undefined, { authorization: ADMIN });
  for (const path of ['/admin/policy?id=a', '/admin/policies/inspect', '/admin/schema?id=a']) {
    const refused = await get('plain bundle', path);
    assert.equal([refused.status, JSON.parse(refused.text).code], [400, 9], path);
    assert.match(refused.text, /compile it with `authzc compile --explain`/);
    assert.is((await get('off', path)).status, 200, path);
    assert.is((await send(httpOf('off'), 'GET', path)).status, 401, path);
  }
  const { policies } = JSON.parse((await get('off', '/admin/policy?id=resource.album.vdefault')).text);
  assert.is(policies[0].resourcePolicy.resource, 'album');
  const { results } = JSON.parse((await get('off', '/admin/policies/inspect?nameRegexp=^alb')).text);
  assert.equal(Object.keys(results), ['derived_roles.album_roles', 'resource.album.vdefault']);
});

test('a folder is served with what explains its decisions', async () => {
  for (const explain of [true, false]) {
    const served = { whenEmpty: 'refuse', explain, facts: false } as const;
    const compiled = await folderCompiler(join(ROOT, 'policies'), served, PROCESS_CONTEXT)();
    assert.is(typeof compiled?.explainer, explain ? 'function' : 'undefined');
  }
});

test('requests are validated and limited', async () => {
  for (const [wrong, message] of [
    [{ ...question, action: '' }, /action/],
    [{ ...question, near: 21 }, /near/],
    [{ ...question, keep: 7 }, /keep/],
    [{ ...question, principal: { id: 'bob' } }, /roles/],
    [{ ...question, auxData: { jwt: { token: 'x' } } }, /invalid auxData/],
  ] as const) {
    const { status, text } = await post('on', wrong);
    assert.is(status, 400, text);
    assert.match(text, message);
  }
  const large = { ...question, resource: { ...question.resource, attr: { text: 'x'.repeat(70_000) } } };
  const { status, text } = await post('on', large);
  assert.is(status, 429, text);
});

test('a search leaves a part of the request alone', async () => {
  const { text } = await post('on', { ...question, keep: 'KEEP_RESOURCE' });
  const { nearMisses } = JSON.parse(text) as { readonly nearMisses: object };
  const expected = makeExplainer(lowered).explain(question, { near: 3, keep: 'resource', tries: 2000 }).nearMisses;
  assert.equal(nearMisses, { isComplete: true, sampled: expected?.sampled });
  assert.ok(Number(expected?.sampled) > 0, 'no set of changes was found, so requests were sampled');
});

test.run();

/** The id differs, and so does the time of conditions that show it. */
function withoutTime(answer: unknown): unknown {
  const { authzCallId: _, ...rest } = answer as { readonly [field: string]: unknown };
  return JSON.parse(JSON.stringify(rest).replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'));
}

interface PostOptions {
  readonly path?: string;
  readonly authorization?: string | undefined;
  readonly 'content-type'?: string;
}

function post(server: string, body: unknown, options: PostOptions = {}): ReturnType<typeof send> {
  const { path = PATH, ...headers } = { authorization: ADMIN, 'content-type': 'application/json', ...options };
  const given = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return send(httpOf(server), 'POST', path, JSON.stringify(body), Object.fromEntries(given));
}

/** The texts of the policies, as the page asks for them. */
function policyTexts(server: string, authorization: string | undefined = ADMIN): ReturnType<typeof send> {
  return send(httpOf(server), 'GET', '/explorer/policies.json', undefined, { authorization });
}

function httpOf(server: string): string {
  return (servers.get(server) as RunningServer).httpAddress;
}

function grpc(
  server: string,
  bytes: Buffer,
  authorization: string | undefined = ADMIN,
): Promise<Buffer | ServiceError> {
  const client = new Client((servers.get(server) as RunningServer).grpcAddress, credentials.createInsecure());
  const same = (message: Buffer): Buffer => message;
  const metadata = new Metadata();
  metadata.set('authorization', authorization);
  return new Promise((resolve) => {
    client.makeUnaryRequest(METHOD, same, same, bytes, metadata, (error: ServiceError | null, reply?: Buffer) => {
      client.close();
      resolve(error ?? (reply as Buffer));
    });
  });
}

function sendBytes(path: string, bytes: Buffer, type: string): Promise<Buffer> {
  const [host, port] = httpOf('on').split(':');
  const headers = { 'content-type': type, authorization: ADMIN };
  return new Promise((resolve, reject) => {
    const call = httpRequest({ host, port, path, method: 'POST', agent: false, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks)));
    });
    call.on('error', reject);
    call.end(bytes);
  });
}

const CREDENTIALS = [
  'server.adminAPI.enabled=true',
  'server.adminAPI.adminCredentials.username=admin',
  `server.adminAPI.adminCredentials.passwordHash=${Buffer.from(hashSync('open sesame', 4)).toString('base64')}`,
];
