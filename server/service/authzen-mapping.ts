import type { Action, Resource, Subject } from '../../proto/gen/authzen-messages.js';
import type { AuxData, Principal, Token } from '../../proto/gen/messages.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import { isValidAuxData } from '../../proto/gen/validate/request.js';
import type { Call } from './call.js';
import type { CheckService } from './check-resources.js';
import type { CheckEntry, VerifiedAuxData } from './decider.js';
import { OWN_NAMES, type PropertyNames } from './property-names.js';
import { type RpcError, refused } from './rpc-error.js';
import { provenPrincipal, withSubjectToken } from './token-subject.js';

/**
 * The principal of a subject: its roles are a property, or else its type (docs/spec/server.md#authzen). All properties
 * are attributes.
 */
export function toPrincipal({ type, id, properties }: Subject, names: readonly PropertyNames[] = OWN_NAMES): Principal {
  const listed = setting(properties, 'roles', names);
  const named = Array.isArray(listed) ? listed.filter((role) => typeof role === 'string' && role !== '') : [];
  return {
    id,
    policyVersion: textSetting(properties, 'policyVersion', names),
    roles: named.length === 0 ? [type] : [...new Set<string>(named)],
    attr: properties,
    scope: textSetting(properties, 'scope', names),
    actors: [],
  };
}

/** The prefixes of a server. */
type Aliased = Pick<CheckService, 'propertyNames'>;

/** The attribute of the resource that is the context, without its keys for the server. */
const CONTEXT = 'authz.context';
/** The keys of a context that tell the server what to do. They are not for conditions: one has tokens. */
const FOR_SERVER = ['requestId', 'includeMeta', 'auxData'] as const;

/**
 * The resource and the action. All properties of the resource are attributes. Conditions only know the name of an
 * action and have no context, so the properties of the action and the context become attributes of the resource
 * (docs/spec/server.md#authzen).
 */
export function toEntry(
  { type, id, properties }: Resource,
  action: Action,
  context: Attributes | undefined,
  { propertyNames: names = OWN_NAMES }: Aliased = {},
): CheckEntry {
  const resource = {
    kind: type,
    policyVersion: textSetting(properties, 'policyVersion', names),
    id,
    attr: isCopied(properties, action, context, { propertyNames: names })
      ? copied(properties, action, context, names)
      : properties,
    scope: textSetting(properties, 'scope', names),
  };
  return { resource, actions: [action.name] };
}

/** What conditions see of a context; undefined if it has nothing for them. */
export function contextForConditions(
  context: Attributes,
  { propertyNames: names = OWN_NAMES }: Aliased = {},
): Attributes | undefined {
  const entries = Object.entries(context).filter(
    ([key]) => !names.some((known) => FOR_SERVER.some((setting) => known[setting] === key)),
  );
  return entries.length === 0 ? undefined : Object.fromEntries(entries);
}

/** Whether the attributes of a resource are a copy of its properties, which costs as much as there are of them. */
export function isCopied(
  properties: Attributes,
  action: Action,
  context: Attributes | undefined,
  { propertyNames: names = OWN_NAMES }: Aliased = {},
): boolean {
  return (
    context !== undefined ||
    Object.hasOwn(properties, CONTEXT) ||
    Object.keys(action.properties).length > 0 ||
    names.some(({ actionProperties }) => Object.hasOwn(properties, actionProperties))
  );
}

function copied(
  properties: Attributes,
  action: Action,
  context: Attributes | undefined,
  names: readonly PropertyNames[],
): Attributes {
  const attributes: { [name: string]: unknown } = { ...properties };
  // A property must not pass for those of the action, or for a context.
  for (const { actionProperties } of names)
    if (Object.keys(action.properties).length > 0) attributes[actionProperties] = action.properties;
    else delete attributes[actionProperties];
  if (context === undefined) delete attributes[CONTEXT];
  else attributes[CONTEXT] = context;
  return attributes;
}

/** The id that the caller gave the request; empty when it gave none. */
export function readRequestId(context: Attributes, { propertyNames: names = OWN_NAMES }: Aliased = {}): string {
  return textSetting(context, 'requestId', names);
}

/**
 * The prefix with which the caller asks to know what decided; the answer to that has the same one. Undefined: it does
 * not ask.
 */
export function metaPrefix(
  context: Attributes,
  { propertyNames: names = OWN_NAMES }: Aliased = {},
): string | undefined {
  return names.find(({ includeMeta }) => property(context, includeMeta) === true)?.prefix;
}

/** The tokens of a request: those in its context and, where tokens say who the subject is, that of the subject. */
export function readTokens(
  { tokenSubject, propertyNames }: Pick<CheckService, 'tokenSubject' | 'propertyNames'>,
  call: Call,
  context: Attributes,
): AuxData | undefined {
  const auxData = readAuxData(context, propertyNames);
  return tokenSubject === undefined ? auxData : withSubjectToken(call, auxData);
}

/** The principal that the caller describes, or that its verified token does. Throws an RpcError for a wrong token. */
export function principalFor(
  { tokenSubject, propertyNames }: Pick<CheckService, 'tokenSubject' | 'propertyNames'>,
  subject: Subject,
  { jwt }: VerifiedAuxData,
): Principal {
  return tokenSubject === undefined
    ? toPrincipal(subject, propertyNames ?? OWN_NAMES)
    : provenPrincipal(tokenSubject, jwt, subject.id);
}

/**
 * The tokens in a context, with field names of JSON or protobuf. Throws an RpcError for invalid tokens; unknown fields
 * are ignored.
 */
function readAuxData(context: Attributes, names = OWN_NAMES): AuxData | undefined {
  const name = names.find(({ auxData }) => Object.hasOwn(context, auxData))?.auxData;
  if (name === undefined) return undefined;
  const fields = readObject(context[name]);
  const jwt = property(fields, 'jwt') ?? undefined;
  const jwts = readObject(property(fields, 'jwts') ?? {});
  const auxData: AuxData = {
    jwt: jwt === undefined ? undefined : readToken(jwt),
    jwts: new Map(Object.entries(jwts).map(([name, token]) => [name, readToken(token)])),
  };
  if (!isValidAuxData(auxData)) throw invalid();
  return auxData;
}

function readToken(value: unknown): Token {
  const fields = readObject(value);
  const token = property(fields, 'token');
  const keySetId = property(fields, 'keySetId') ?? property(fields, 'key_set_id') ?? '';
  if (typeof token !== 'string' || typeof keySetId !== 'string') throw invalid();
  return { token, keySetId };
}

function readObject(value: unknown): Attributes {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw invalid();
  return value as Attributes;
}

/** The error for invalid tokens, without a reason (docs/spec/server.md#refused-tokens). */
function invalid(): RpcError {
  return refused('invalid auxData');
}

function textSetting(properties: Attributes, name: Setting, names: readonly PropertyNames[]): string {
  const value = setting(properties, name, names);
  return typeof value === 'string' ? value : '';
}

type Setting = Exclude<keyof PropertyNames, 'prefix' | 'actionProperties'>;

/** The property of the first prefix that has it. */
function setting(properties: Attributes, name: Setting, names: readonly PropertyNames[]): unknown {
  for (const known of names) {
    const value = property(properties, known[name]);
    if (value !== undefined) return value;
  }
  return undefined;
}

function property(properties: Attributes, name: string): unknown {
  return Object.hasOwn(properties, name) ? properties[name] : undefined;
}
