import type { Action, Resource, Subject } from '../../proto/gen/authzen-messages.js';
import type { AuxData, Principal, Token } from '../../proto/gen/messages.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import { isValidAuxData } from '../../proto/gen/validate/request.js';
import type { CheckEntry } from './decider.js';
import { type RpcError, refused } from './rpc-error.js';

/**
 * The principal of a subject: its roles are a property, or else its type (docs/spec/server.md#authzen). All properties
 * are attributes.
 */
export function principalOf({ type, id, properties }: Subject): Principal {
  const listed = property(properties, 'authz.roles');
  const named = Array.isArray(listed) ? listed.filter((role) => typeof role === 'string' && role !== '') : [];
  return {
    id,
    policyVersion: textProperty(properties, 'authz.policyVersion'),
    roles: named.length === 0 ? [type] : [...new Set<string>(named)],
    attr: properties,
    scope: textProperty(properties, 'authz.scope'),
  };
}

/**
 * The resource and the action. All properties of the resource are attributes; the properties of the action become the
 * attribute `authz.actionProperties`, because conditions only know the name of an action.
 */
export function entryOf({ type, id, properties }: Resource, action: Action): CheckEntry {
  const attr =
    Object.keys(action.properties).length === 0
      ? properties
      : { ...properties, 'authz.actionProperties': action.properties };
  const resource = {
    kind: type,
    policyVersion: textProperty(properties, 'authz.policyVersion'),
    id,
    attr,
    scope: textProperty(properties, 'authz.scope'),
  };
  return { resource, actions: [action.name] };
}

/** The id that the caller gave the request; empty when it gave none. */
export function requestIdOf(context: Attributes): string {
  return textProperty(context, 'authz.requestId');
}

/** Whether the caller wants to know what decided. */
export function includesMeta(context: Attributes): boolean {
  return property(context, 'authz.includeMeta') === true;
}

/**
 * The tokens in a context, with field names of JSON or protobuf. Throws an RpcError for invalid tokens; unknown fields
 * are ignored.
 */
export function auxDataOf(context: Attributes): AuxData | undefined {
  if (!Object.hasOwn(context, 'authz.auxData')) return undefined;
  const fields = objectOf(context['authz.auxData']);
  const jwt = property(fields, 'jwt') ?? undefined;
  const jwts = objectOf(property(fields, 'jwts') ?? {});
  const auxData: AuxData = {
    jwt: jwt === undefined ? undefined : tokenOf(jwt),
    jwts: new Map(Object.entries(jwts).map(([name, token]) => [name, tokenOf(token)])),
  };
  if (!isValidAuxData(auxData)) throw invalid();
  return auxData;
}

function tokenOf(value: unknown): Token {
  const fields = objectOf(value);
  const token = property(fields, 'token');
  const keySetId = property(fields, 'keySetId') ?? property(fields, 'key_set_id') ?? '';
  if (typeof token !== 'string' || typeof keySetId !== 'string') throw invalid();
  return { token, keySetId };
}

function objectOf(value: unknown): Attributes {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid();
  return value as Attributes;
}

/** The error for invalid tokens, without a reason (docs/spec/server.md#refused-tokens). */
function invalid(): RpcError {
  return refused('invalid auxData');
}

function textProperty(properties: Attributes, name: string): string {
  const value = property(properties, name);
  return typeof value === 'string' ? value : '';
}

function property(properties: Attributes, name: string): unknown {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
