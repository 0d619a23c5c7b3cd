import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, Metadata, type ServiceError } from '@grpc/grpc-js';
import type { JsonValue } from '@bufbuild/protobuf';
import { hashSync } from 'bcryptjs';
import { documentPolicy } from '../support/cli/policies.js';
import { PROGRAMS } from '../support/cli/programs.js';
import { messageType } from '../support/protobuf.js';
import { type Answer, send } from '../support/server/http-client.js';
import type { Server } from '../support/workers/server.js';
import { LAST_RESORT } from '../support/timeout.js';

/** A bundle and its hash. */
export interface TestBundle {
  readonly text: string;
  readonly hash: string;
}

/** Two bundles that can explain: in one, users may view documents and not edit them; in the other it is the reverse. */
export interface TestBundles {
  readonly folder: string;
  readonly view: TestBundle;
  readonly edit: TestBundle;
}

/** Compiles policies into a new folder below another one. `others`: more files, by name. */
export function compileBundle(
  folder: string,
  name: string,
  policy: string,
  others: { readonly [file: string]: string } = {},
): TestBundle {
  mkdirSync(join(folder, name));
  for (const [file, text] of Object.entries({ ...others, 'document.yaml': policy }))
    writeFileSync(join(folder, name, file), text);
  const file = join(folder, `${name}.js`);
  const out = join(folder, `${name}-generated`);
  execFileSync(process.execPath, [
    PROGRAMS.authzc,
    'compile',
    join(folder, name),
    '--explain',
    '--bundle',
    file,
    '--out',
    out,
  ]);
  const [, hash = ''] = /'([0-9a-f]{16})'/.exec(readFileSync(join(out, 'hash.ts'), 'utf8')) ?? [];
  return { text: readFileSync(file, 'utf8'), hash };
}

/** Compiles both into a new folder, which the caller removes. */
export function compileBundles(): TestBundles {
  const folder = mkdtempSync(join(tmpdir(), 'authz-rollout-'));
  const [view, edit] = ['view', 'edit'].map((action) => compileBundle(folder, action, documentPolicy(action)));
  return { folder, view: view as TestBundle, edit: edit as TestBundle };
}

/** The configuration of a server with an admin and a gateway. */
export const ADMIN_SETS: readonly string[] = [
  'server.adminAPI.enabled=true',
  'server.adminAPI.adminCredentials.username=admin',
  `server.adminAPI.adminCredentials.passwordHash=${Buffer.from(hashSync('open sesame', 4)).toString('base64')}`,
];
export const ADMIN = `Basic ${Buffer.from('admin:open sesame').toString('base64')}`;

/** What a call says: the decisions that it has, and the hash of the bundle that decided. */
export interface Told {
  readonly view?: boolean;
  readonly edit?: boolean;
  /** Undefined if the answer has none. */
  readonly hash: string | undefined;
}

/** A way to ask about a principal. Rejects for any answer that is not a decision. */
export type Ask = (server: Server, principal: string, headers?: Headers) => Promise<Told>;
type Headers = { readonly [name: string]: string };

const JSON_TYPE = { 'content-type': 'application/json' };
const CHECK_REQUEST = messageType('authz.request.v1.CheckResourcesRequest');
const CHECK_RESPONSE = messageType('authz.response.v1.CheckResourcesResponse');

/** Every way to ask. */
export const ASKS: { readonly [name: string]: Ask } = {
  'REST check': async ({ http }, principal, headers) =>
    toldOfCheck(await post(http, '/api/check/resources', checkOf(principal), headers)),
  'Connect check': async ({ http }, principal, headers) =>
    toldOfCheck(
      await post(http, '/authz.svc.v1.AuthzService/CheckResources', checkOf(principal), { ...JSON_TYPE, ...headers }),
    ),
  'gRPC-Web check': async ({ http }, principal, headers) => {
    const answer = await post(http, '/authz.svc.v1.AuthzService/CheckResources', framed(checkOf(principal)), {
      'content-type': 'application/grpc-web-text',
      ...headers,
    });
    const bytes = Buffer.from(answer.text, 'base64');
    const json = CHECK_RESPONSE.decode(bytes.subarray(5, 5 + bytes.readUInt32BE(1)));
    return { ...decisionsOf(json), hash: hashOf(answer) };
  },
  'gRPC check': ({ grpc }, principal, headers) => askGrpc(grpc, principal, headers),
  'REST check of a set': async ({ http }, principal, headers) => {
    const answer = await post(
      http,
      '/api/check',
      {
        principal: { id: principal, roles: ['user'] },
        actions: ['view', 'edit'],
        resource: { kind: 'document', instances: { d1: {} } },
      },
      headers,
    );
    const { resourceInstances } = JSON.parse(answer.text) as {
      readonly resourceInstances: { readonly d1: { readonly actions: { readonly [action: string]: string } } };
    };
    return { ...effects(resourceInstances.d1.actions), hash: hashOf(answer) };
  },
  'REST plan': async ({ http }, principal, headers) => {
    const answer = await post(
      http,
      '/api/plan/resources',
      { principal: { id: principal, roles: ['user'] }, resource: { kind: 'document' }, action: 'view' },
      headers,
    );
    const { filter } = JSON.parse(answer.text) as { readonly filter: { readonly kind: string } };
    return { view: filter.kind === 'KIND_ALWAYS_ALLOWED', hash: hashOf(answer) };
  },
  'AuthZEN evaluation': async ({ http }, principal, headers) => {
    const answer = await post(
      http,
      '/access/v1/evaluation',
      { subject: subjectOf(principal), resource: { type: 'document', id: 'd1' }, action: { name: 'edit' } },
      headers,
    );
    return { edit: (JSON.parse(answer.text) as { readonly decision: boolean }).decision, hash: hashOf(answer) };
  },
  'AuthZEN batch': async ({ http }, principal, headers) => {
    const answer = await post(
      http,
      '/access/v1/evaluations',
      {
        subject: subjectOf(principal),
        resource: { type: 'document', id: 'd1' },
        evaluations: [{ action: { name: 'view' } }, { action: { name: 'edit' } }],
      },
      headers,
    );
    const { evaluations } = JSON.parse(answer.text) as {
      readonly evaluations: readonly { readonly decision: boolean }[];
    };
    return { view: evaluations[0]?.decision === true, edit: evaluations[1]?.decision === true, hash: hashOf(answer) };
  },
  'AuthZEN search': async ({ http }, principal, headers) => {
    const answer = await post(
      http,
      '/access/v1/search/action',
      { subject: subjectOf(principal), resource: { type: 'document', id: 'd1' } },
      headers,
    );
    const names = (JSON.parse(answer.text) as { readonly results: readonly { readonly name: string }[] }).results.map(
      ({ name }) => name,
    );
    return { view: names.includes('view'), edit: names.includes('edit'), hash: hashOf(answer) };
  },
  explanation: async ({ http }, principal, headers) => {
    const answer = await post(
      http,
      '/admin/explain/decision',
      {
        principal: { id: principal, roles: ['user'] },
        resource: { kind: 'document', id: 'd1' },
        action: 'view',
      },
      { authorization: ADMIN, 'content-type': 'application/json', ...headers },
    );
    const { effect } = JSON.parse(answer.text) as { readonly effect: string };
    return { view: effect === 'EFFECT_ALLOW', hash: hashOf(answer) };
  },
  gateway: async ({ http }, principal) => {
    const answer = await send(http, 'GET', '/_authz/forward-auth', undefined, {
      'x-forwarded-method': 'GET',
      'x-forwarded-uri': '/documents/d1',
      'x-user-id': principal,
      'x-user-roles': 'user',
    });
    if (answer.status !== 200 && answer.status !== 403) throw new Error(`${answer.status} ${answer.text}`);
    return { view: answer.status === 200, hash: undefined };
  },
};

/** Calls an RPC of the admin API about the rollout and returns the state. */
export async function rollout(
  { http }: Server,
  path: 'rollout' | 'promote' | 'roll_back',
  body?: object,
): Promise<{ readonly status: number; readonly state: RolloutState; readonly message: string }> {
  const verb = body === undefined ? 'GET' : 'POST';
  const { status, text } = await send(
    http,
    verb,
    `/admin/bundle/${path}`,
    body === undefined ? undefined : JSON.stringify(body),
    { authorization: ADMIN, 'content-type': 'application/json' },
  );
  const { rollout: state = {}, message = '' } = JSON.parse(text) as {
    readonly rollout?: RolloutState;
    readonly message?: string;
  };
  return { status, state, message };
}

/** A bundle in the state of a rollout. */
interface StateOfBundle {
  readonly hash: string;
  /** Only of archives. */
  readonly sequence?: string;
}

interface RolloutState {
  readonly current?: StateOfBundle;
  readonly candidate?: StateOfBundle;
  readonly previous?: StateOfBundle;
  readonly stage?: string;
  readonly percent?: number;
  readonly rolloutId?: string;
  readonly refusedHash?: string;
  readonly lastError?: string;
}

/** Sends a POST. Rejects for any status but 200. */
async function post(http: string, path: string, body: object, headers: Headers = {}): Promise<Answer> {
  const answer = await send(http, 'POST', path, Buffer.isBuffer(body) ? body : JSON.stringify(body), headers);
  if (answer.status !== 200) throw new Error(`${answer.status} ${answer.text}`);
  return answer;
}

function askGrpc(address: string, principal: string, headers: Headers = {}): Promise<Told> {
  const client = new Client(address, credentials.createInsecure());
  const metadata = new Metadata();
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value);
  const same = (bytes: Buffer): Buffer => bytes;
  return new Promise<Told>((resolve, reject) => {
    let hash: string | undefined;
    const call = client.makeUnaryRequest(
      '/authz.svc.v1.AuthzService/CheckResources',
      same,
      same,
      CHECK_REQUEST.encode(checkOf(principal)),
      metadata,
      { deadline: Date.now() + LAST_RESORT },
      (error: ServiceError | null, bytes?: Buffer) => {
        if (error !== null) reject(error);
        else resolve({ ...decisionsOf(CHECK_RESPONSE.decode(bytes as Buffer)), hash });
      },
    );
    call.on('metadata', (received: Metadata) => {
      hash = received.get('authz-bundle-hash')[0] as string | undefined;
    });
  }).finally(() => client.close());
}

function checkOf(principal: string): JsonValue & object {
  return {
    principal: { id: principal, roles: ['user'] },
    resources: [{ resource: { kind: 'document', id: 'd1' }, actions: ['view', 'edit'] }],
  };
}

function framed(message: JsonValue): Buffer {
  const bytes = CHECK_REQUEST.encode(message);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.from(Buffer.concat([head, bytes]).toString('base64'));
}

function subjectOf(principal: string): object {
  return { type: 'user', id: principal };
}

function toldOfCheck(answer: Answer): Told {
  return { ...decisionsOf(JSON.parse(answer.text)), hash: hashOf(answer) };
}

function decisionsOf(json: unknown): Pick<Told, 'view' | 'edit'> {
  const { results } = json as {
    readonly results: readonly { readonly actions: { readonly [name: string]: string } }[];
  };
  return effects(results[0]?.actions ?? {});
}

function effects({ view, edit }: { readonly [name: string]: string }): Pick<Told, 'view' | 'edit'> {
  return { view: view === 'EFFECT_ALLOW', edit: edit === 'EFFECT_ALLOW' };
}

function hashOf({ headers }: Answer): string | undefined {
  return headers['authz-bundle-hash'] as string | undefined;
}
