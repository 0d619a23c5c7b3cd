/**
 * No use here may compile: each has an error in the line below its comment, and a comment without an error is an error
 * itself.
 */
import { createEngine, type Engine } from '../../runtime/engine/index.js';
import {
  type ActionOf,
  type ActorOf,
  type AuthzClient,
  type CheckAnswer,
  connectClient,
  type KindOf,
  type PrincipalOf,
  type ResourceOf,
  restClient,
  type RoleOf,
} from '../../packages/client/index.js';
import { grpcClient } from '../../packages/client/grpc.js';
import type { Actions, ContactSchema, Policies, Role } from './generated/types.js';

declare const client: AuthzClient<Policies>;
declare const engine: Engine<Policies>;
declare const answer: CheckAnswer<Policies, 'contact', 'read'>;
const attr = { owner: 'a', status: 'draft' } as const;
const principal = { id: 'a', roles: ['user'], attr: { department: 'x' } };
const resource = { kind: 'contact', id: '1', attr } as const;
const note = { kind: 'note', id: '1' } as const;

export const CALLS = [
  // @ts-expect-error 1: a misspelt action
  () => client.check({ principal, resource, actions: ['raed'] }),
  // @ts-expect-error 2: one of several is misspelt
  () => client.check({ principal, resource, actions: ['read', 'updaet'] }),
  // @ts-expect-error 3: an action of another kind
  () => client.isAllowed({ principal, resource, action: 'view' }),
  // @ts-expect-error 4: a misspelt kind
  () => client.isAllowed({ principal, resource: { kind: 'contcat', id: '1', attr }, action: 'read' }),
  // @ts-expect-error 5: an action that no glob matches
  () => client.isAllowed({ principal, resource, action: 'exports:csv' }),
  // @ts-expect-error 6: no action
  () => client.isAllowed({ principal, resource }),
  // @ts-expect-error 7: no id
  () => client.isAllowed({ principal, resource: { kind: 'note' }, action: 'view' }),
  // @ts-expect-error 8: no kind
  () => client.isAllowed({ principal, resource: { id: '1' }, action: 'view' }),
  // @ts-expect-error 9: no principal
  () => client.isAllowed({ resource: note, action: 'view' }),
  // @ts-expect-error 10: roles as one string
  () => client.isAllowed({ principal: { id: 'a', roles: 'user' }, resource: note, action: 'view' }),
  // @ts-expect-error 11: an id that is a number
  () => client.isAllowed({ principal, resource: { kind: 'note', id: 1 }, action: 'view' }),
  // @ts-expect-error 12: a principal without an attribute that its schema requires
  () => client.isAllowed({ principal: { id: 'a', roles: [] }, resource, action: 'read' }),
  // @ts-expect-error 13: attributes of the principal of another type
  () => client.isAllowed({ principal: { ...principal, attr: { department: 3 } }, resource, action: 'read' }),
  // @ts-expect-error 14: a resource without an attribute that its schema requires
  () => client.isAllowed({ principal, resource: { kind: 'contact', id: '1' }, action: 'read' }),
  // @ts-expect-error 15: actions as one string
  () => client.check({ principal, resource, actions: 'read' }),
  // @ts-expect-error 16: `resources` belong to checkAll
  () => client.check({ principal, resources: [{ resource, actions: ['read'] }] }),
  // @ts-expect-error 17: in a list, an action of another kind
  () => client.checkAll({ principal, resources: [{ resource, actions: ['view'] }] }),
  // @ts-expect-error 18: in a list, a misspelt kind
  () => client.checkAll({ principal, resources: [{ resource: { kind: 'notes', id: '1' }, actions: ['view'] }] }),
  // @ts-expect-error 19: a plan for a misspelt action
  () => client.plan({ principal, resource: { kind: 'contact' }, actions: ['lsit'] }),
  // @ts-expect-error 20: a plan for an unknown kind
  () => client.plan({ principal, resource: { kind: 'contacts' }, actions: ['list'] }),
  // @ts-expect-error 21: a plan with a known attribute of another type
  () => client.plan({ principal, resource: { kind: 'contact', attr: { owner: 3 } }, actions: ['list'] }),
  // @ts-expect-error 22: a token as a string
  () => client.isAllowed({ principal, resource: note, action: 'view', auxData: { jwt: 'x' } }),
  // @ts-expect-error 23: an unknown option
  () => client.isAllowed({ principal, resource: note, action: 'view' }, { timeOut: 3 }),
  // @ts-expect-error 24: the engine, a misspelt action
  () => engine.isAllowed({ principal, resource, action: 'raed' }),
  // @ts-expect-error 25: the engine, an unknown kind
  () => engine.isAllowed({ principal, resource: { kind: 'nothing', id: '1' }, action: 'read' }),
  // @ts-expect-error 26: the engine, one of several
  () => engine.check({ principal, resources: [{ resource, actions: ['read', 'raed'] }] }),
  // @ts-expect-error 27: the engine's plan
  () => engine.plan({ principal, resource: { kind: 'report' }, actions: ['read'] }),
  // @ts-expect-error 28: no bundle
  () => createEngine<Policies>(),
  // @ts-expect-error 29: invalid types
  () => restClient<Role>({ url: 'http://x' }),
  // @ts-expect-error 30: no address
  () => restClient<Policies>({}),
  // @ts-expect-error 31: headers that are numbers
  () => connectClient<Policies>({ url: 'http://x', headers: { a: 1 } }),
  // @ts-expect-error 32: a URL where gRPC has an address
  () => grpcClient<Policies>({ url: 'http://x' }),
];

export const ATTRIBUTES: readonly Partial<ContactSchema>[] = [
  // @ts-expect-error 33: not one of an enum
  { status: 'drafty' },
  // @ts-expect-error 34: a list of another type
  { tags: [1] },
  // @ts-expect-error 35: a missing member within a list
  { phones: [{ kind: 'home' }] },
  // @ts-expect-error 36: within a list, not one of an enum
  { phones: [{ number: '1', kind: 'car' }] },
  // @ts-expect-error 37: a member that the schema does not have
  { onwer: 'a' },
  // @ts-expect-error 38: null where a schema has none
  { owner: null },
  // @ts-expect-error 39: neither of two
  { address: { road: 'x' } },
  // @ts-expect-error 40: deep below
  { reportsTo: { name: 'x', reportsTo: { name: 3 } } },
  // @ts-expect-error 41: a map with values of another type
  { labels: { a: 1 } },
  // @ts-expect-error 42: both of two
  { both: { a: 'x' } },
];

// @ts-expect-error 43: a result for another action
export const OTHER_ACTION: boolean = answer.allowed.update;
// @ts-expect-error 44: an effect is not any string
export const EFFECT: string = answer.allowed.read;
// @ts-expect-error 45: meta may be absent
export const POLICY: string = answer.meta.actions.read.matchedPolicy;
// @ts-expect-error 46: another source of outputs
export const SOURCE: 'resource.contact.vdefault#read' | undefined = answer.outputs[0]?.src;
// @ts-expect-error 47: another member of an output
export const MEMBER: unknown = answer.outputs[0]?.val?.cause;
// @ts-expect-error 48: results are read-only
answer.allowed.read = true;
// @ts-expect-error 49
export const KIND: KindOf<Policies> = 'nots';
// @ts-expect-error 50
export const ACTION: ActionOf<Policies, 'note'> = 'read';
// @ts-expect-error 51
export const NAMED: Actions['report'] = 'raed';
// @ts-expect-error 52: any string is a role, but no number is
export const ROLE: RoleOf<Policies> = 3;
// @ts-expect-error 53: a role that policies name is one of few
export const NAMED_ROLE: Role = 'nobody';
// @ts-expect-error 54
export const RESOURCE: ResourceOf<Policies, 'report'> = { kind: 'contact', id: '1' };
// @ts-expect-error 55: a misspelt attribute
export const PRINCIPAL: PrincipalOf<Policies, 'contact'> = { id: 'a', roles: [], attr: { department: 'x', levle: 3 } };

/** Questions of a prepared principal. */
export const PREPARED = [
  // @ts-expect-error 56: a misspelt action
  () => client.for(principal).can('raed', resource),
  // @ts-expect-error 57: an action of another kind
  () => client.for(principal).can('view', resource),
  // @ts-expect-error 58: a resource without an attribute that its schema requires
  () => client.for(principal).can('read', { kind: 'contact', id: '1' }),
  // @ts-expect-error 59: roles as one string
  () => client.for({ id: 'a', roles: 'user' }),
  // @ts-expect-error 60: a promise is not a decision
  (): boolean => client.for(principal).can('read', resource),
];

/** The same in process. */
export const PREPARED_IN_PROCESS = [
  // @ts-expect-error 61: a prepared principal, a misspelt action
  () => engine.for(principal).can('raed', resource),
  // @ts-expect-error 62: an action of another kind
  () => engine.for(principal).can('view', resource),
  // @ts-expect-error 63: an unknown kind
  () => engine.for(principal).can('read', { kind: 'contcat', id: '1', attr }),
  // @ts-expect-error 64: a resource without an attribute that its schema requires
  () => engine.for(principal).can('read', { kind: 'contact', id: '1' }),
  // @ts-expect-error 65: for one kind, attributes of the principal of another type
  () => engine.for<'contact'>({ ...principal, attr: { department: 3 } }),
  // @ts-expect-error 66: for one kind, a principal without an attribute that its schema requires
  () => engine.for<'contact'>({ id: 'a', roles: [] }),
  // @ts-expect-error 67: another kind than it was prepared for
  () => engine.for<'contact'>(principal).can('view', note),
  // @ts-expect-error 68: claims that are no claims
  () => engine.for(principal, { jwt: {} }),
];

/** Questions with actors. */
export const WITH_ACTORS = [
  // @ts-expect-error 69: an actor without roles
  () => client.isAllowed({ principal: { ...principal, actors: [{ id: 'b' }] }, resource: note, action: 'view' }),
];
// @ts-expect-error 70: attributes of an actor of another type
export const ACTOR: ActorOf<Policies, 'contact'> = { id: 'a', roles: [], attr: { department: 3 } };
// @ts-expect-error 71: an actor with actors
export const NESTED: ActorOf<Policies, 'contact'> = { id: 'a', roles: [], attr: { department: 'x' }, actors: [] };
