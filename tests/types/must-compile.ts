/**
 * Every use here must compile: `tsc` on this file is the test. must-not-compile.ts has the uses that must not compile.
 */
import { createEngine, type Engine } from '../../runtime/engine/index.js';
import {
  type AuthzClient,
  AuthzError,
  connectClient,
  inProcessClient,
  restClient,
  type ActionOf,
  type KindOf,
  type PrincipalOf,
  type ResourceOf,
  type WithActions,
} from '../../packages/client/index.js';
import { grpcClient } from '../../packages/client/grpc.js';
import { policies } from '../../generated/index.js';
import type { Actions, Policies } from './generated/types.js';

const contact = { owner: 'a', status: 'draft' } as const;
const principal = { id: 'a', roles: ['user'], attr: { department: 'x' } };

/** Questions of a prepared principal. */
export const PREPARED = [
  (client: AuthzClient<Policies>) =>
    client.for(principal).can('read', { kind: 'contact', id: '1', attr: contact }, { timeout: 10 }),
  (client: AuthzClient<Policies>) =>
    client.for(principal, { requestId: 'r1', auxData: { jwt: { token: 'x' } } }).can('view', { kind: 'note', id: '1' }),
  (client: AuthzClient<Policies>) => client.for({ id: 'a', roles: [] }).can('view', { kind: 'note', id: '1' }),
  (client: AuthzClient) => client.for({ id: 'a', roles: ['x'] }).can('anything', { kind: 'any', id: '1' }),
];

/** 1 to 12: questions to a client. */
export const ASKED = [
  (client: AuthzClient<Policies>) =>
    client.isAllowed({ principal, resource: { kind: 'contact', id: '1', attr: contact }, action: 'read' }),
  (client: AuthzClient<Policies>) =>
    client.isAllowed({ principal, resource: { kind: 'contact', id: '1', attr: contact }, action: 'export:csv' }),
  (client: AuthzClient<Policies>) =>
    client.isAllowed({ principal: { id: 'a', roles: [] }, resource: { kind: 'note', id: '1' }, action: 'view' }),
  (client: AuthzClient<Policies>) =>
    client.check({ principal, resource: { kind: 'contact', id: '1', attr: contact }, actions: ['read', 'update'] }),
  (client: AuthzClient<Policies>) =>
    client.check(
      { principal, resource: { kind: 'contact', id: '1', attr: contact }, actions: ['read'], includeMeta: true },
      { timeout: 10 },
    ),
  (client: AuthzClient<Policies>) =>
    client.check(
      { principal, resource: { kind: 'report', id: '1' }, actions: ['create'] },
      { signal: new AbortController().signal },
    ),
  (client: AuthzClient<Policies>) =>
    client.check({ principal, resource: { kind: 'report', id: '1', attr: { name: 'x' } }, actions: ['view'] }),
  (client: AuthzClient<Policies>) =>
    client.checkAll({
      principal,
      resources: [
        { resource: { kind: 'contact', id: '1', attr: contact }, actions: ['read'] },
        { resource: { kind: 'note', id: '2' }, actions: ['view'] },
      ],
    }),
  (client: AuthzClient<Policies>) => client.plan({ principal, resource: { kind: 'contact' }, actions: ['read'] }),
  (client: AuthzClient<Policies>) =>
    client.plan({ principal, resource: { kind: 'contact', attr: { status: 'active' } }, actions: ['read', 'list'] }),
  (client: AuthzClient<Policies>) =>
    client.isAllowed({
      principal,
      resource: { kind: 'note', id: '1', attr: { anything: [1, { at: 'all' }] }, scope: 'acme', policyVersion: 'v2' },
      action: 'view',
      auxData: { jwt: { token: 'x' } },
      requestId: 'r',
    }),
  (client: AuthzClient<Policies>) =>
    client.isAllowed({
      principal: { ...principal, roles: ['user', 'whatever:my:provider:says'] },
      resource: { kind: 'note', id: '1' },
      action: 'view',
    }),
];

/** 13 to 24: attributes. */
export const ATTRIBUTES: readonly ResourceOf<Policies, 'contact'>['attr'][] = [
  { owner: 'a', status: 'active' },
  { owner: 'a', status: 3 },
  { owner: 'a', status: null, tags: ['x', 'y'] },
  { ...contact, phones: [{ number: '1', kind: 'home' }, { number: '2' }] },
  { ...contact, company: null },
  { ...contact, company: { name: 'x', size: 3 } },
  { ...contact, score: 3 },
  { ...contact, score: 'high' },
  { ...contact, address: { street: 'x' } },
  { ...contact, address: { box: 3 }, labels: { any: 'label' } },
  { ...contact, reportsTo: { name: 'x', reportsTo: { name: 'y', reportsTo: { name: 'z' } } } },
  { ...contact, extra: { whatever: [1, 'x', null] }, pair: ['x', 1], both: { a: 'x', b: true }, tags: undefined },
];

/** 25 to 31: results. */
export async function answers(client: AuthzClient<Policies>): Promise<unknown> {
  const answer = await client.check({
    principal,
    resource: { kind: 'contact', id: '1', attr: contact },
    actions: ['read', 'update'],
    includeMeta: true,
  });
  const read: boolean = answer.allowed.read;
  const policy: string | undefined = answer.meta?.actions.update.matchedPolicy;
  const reasons = answer.outputs.map((output) =>
    output.error === undefined ? (output.val?.reason satisfies 'not yours') : output.error,
  );
  const sources: readonly 'resource.contact.vdefault#edit'[] = answer.outputs.map(({ src }) => src);
  const all = await client.checkAll({ principal, resources: [] });
  const first: boolean | undefined = all.results[0]?.allowed['read'];
  const { filter } = await client.plan({ principal, resource: { kind: 'contact' }, actions: ['read'] });
  const condition = filter.kind === 'KIND_CONDITIONAL' ? filter.condition : undefined;
  return client
    .serverInfo()
    .catch((error: unknown) =>
      error instanceof AuthzError && error.code === 'unavailable'
        ? [read, policy, reasons, sources, first, condition]
        : undefined,
    );
}

/** 32 to 37: every way to create a client. */
export const CLIENTS: readonly (() => AuthzClient<Policies>)[] = [
  () => restClient<Policies>({ url: 'http://x', timeout: 100, headers: { authorization: 'x' } }),
  () => connectClient<Policies>({ url: 'http://x', headers: async () => ({ traceparent: 'x' }), fetch }),
  () => grpcClient<Policies>({ address: 'x:1', tls: { ca: 'x' }, metadata: { a: 'b' } }),
  () => inProcessClient<Policies>(policies, { engine: { defaultScope: 'acme' } }),
  () => inProcessClient(createEngine<Policies>(policies)),
  () => restClient({ url: 'http://x' }),
];

/** 38 to 45: the engine, and clients without types. */
export function engines(engine: Engine<Policies>, untyped: Engine, anyone: AuthzClient): readonly unknown[] {
  const row: { name: string; nested: Date } = { name: 'x', nested: new Date(0) };
  return [
    engine.isAllowed({ principal, resource: { kind: 'contact', id: '1', attr: contact }, action: 'delete' }),
    engine.check({
      principal,
      resources: [{ resource: { kind: 'contact', id: '1', attr: contact }, actions: ['read', 'export:pdf'] }],
    }),
    engine.plan({ principal, resource: { kind: 'report' }, actions: ['view'] }),
    engine.for(principal).can('read', { kind: 'contact', id: '1', attr: contact }),
    engine.for({ id: 'a', roles: [] }, { auxData: { jwt: { sub: 'a' } } }).can('view', { kind: 'note', id: '1' }),
    engine.for<'contact'>(principal).can('export:pdf', { kind: 'contact', id: '1', attr: contact }),
    untyped.for({ id: 'a', roles: ['x'] }).can('anything', { kind: 'whatever', id: '1', attr: row }),
    untyped.check({
      principal: { id: 'a', roles: ['x'] },
      resources: [{ resource: { kind: 'whatever', id: '1', attr: row }, actions: ['anything'] }],
    }),
    untyped.plan({ principal: { id: 'a', roles: [] }, resource: { kind: 'whatever' }, actions: ['x'] }),
    anyone.isAllowed({
      principal: { id: 'a', roles: [], attr: row },
      resource: { kind: 'whatever', id: '1', attr: row },
      action: 'anything',
    }),
    anyone
      .check({ principal: { id: 'a', roles: [] }, resource: { kind: 'x', id: '1' }, actions: ['a', 'b'] })
      .then(({ allowed }) => allowed.a && allowed.b),
    createEngine(policies).isAllowed({
      principal: { id: 'a', roles: [] },
      resource: { kind: 'x', id: '1' },
      action: 'a',
    }),
  ];
}

/** 46 to 50: types by name, and more actions than policies name. */
type Wider = WithActions<Policies, 'contact', 'archive'>;
export const KIND: KindOf<Policies> = 'report';
export const ACTION: ActionOf<Policies, 'contact'> = 'export:xlsx';
export const ANY_ACTION: Actions['note'] = 'view';
export const SOMEBODY: PrincipalOf<Policies, 'contact'> = {
  id: 'a',
  roles: ['admin', 'unheard of'],
  attr: { department: 'x', level: 3 },
  scope: 'acme',
};
export const archive = (client: AuthzClient<Wider>): Promise<boolean> =>
  client.isAllowed({ principal, resource: { kind: 'contact', id: '1', attr: contact }, action: 'archive' });
