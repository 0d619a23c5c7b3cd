import { isPlainObject, json, MAX_DEPTH, NotJsonError, plainAttributes } from '../../packages/cel/runtime/index.js';
import { setOwn } from '../../packages/cel/runtime/own-property.js';
import type { AuxDataInput, PrincipalInput, ResourceInput } from '../engine/index.js';
import { requireResource } from '../engine/parts.js';
import type { Attributes } from '../policy/index.js';
import { absent } from './source.js';

/*
 * Requests as they were sent: while facts are fetched, callers may change the objects that they passed. Each field is read
 * once, as the engine reads it.
 */

/** A principal with its actors and all attributes. What is not a list is refused later. */
export function copyChain(given: PrincipalInput): PrincipalInput {
  const { attr, actors, ...own } = copyPrincipal(given);
  return {
    ...own,
    attr: readSent(attr, 'principal.attr'),
    ...(actors !== undefined && {
      actors: Array.isArray(actors)
        ? (actors as readonly PrincipalInput[]).map((actor, index) => copyActor(actor, `principal.actors[${index}]`))
        : actors,
    }),
  };
}

/** Actors of actors are refused later. */
function copyActor(given: PrincipalInput, path: string): PrincipalInput {
  const { attr, ...own } = copyPrincipal(given);
  return { ...own, attr: readSent(attr, `${path}.attr`) };
}

/** A principal, or an actor, with the fields that decide. */
function copyPrincipal(input: PrincipalInput): PrincipalInput {
  const { id, roles, attr, policyVersion, scope, actors } = input;
  return {
    id,
    roles: copyList(roles),
    attr,
    ...(policyVersion !== undefined && { policyVersion }),
    ...(scope !== undefined && { scope }),
    ...(actors && { actors: copyList(actors) }),
  };
}

/** What is not a list is refused later. */
function copyList<Item>(list: readonly Item[]): readonly Item[] {
  return Array.isArray(list) ? [...list] : list;
}

/** A resource with the fields that decide. Throws a NotJsonError for one that decides nothing. */
export function copyResource(given: ResourceInput): ResourceInput {
  const { kind, id, attr, policyVersion, scope } = given ?? NOTHING;
  const own = { kind, id, attr, policyVersion, scope };
  requireResource(own);
  return { ...own, attr: readSent(attr, 'resource.attr') };
}

const NOTHING = {} as ResourceInput;

/** The claims of tokens. */
export function copyAuxData(given: AuxDataInput | undefined): AuxDataInput | undefined {
  if (given === undefined || given === null) return given;
  const { jwt, jwts } = given;
  return {
    ...(jwt && { jwt: copyAttributes(jwt, 'auxData.jwt') }),
    ...(jwts && { jwts: copyAttributes(jwts, 'auxData.jwts') as NonNullable<AuxDataInput['jwts']> }),
  };
}

/** Attributes as they were sent, with those that are said to be absent. */
function readSent(attr: Attributes | undefined, path: string): Attributes {
  if (attr === undefined || attr === null) return {};
  if (typeof attr !== 'object' || typeof attr['toJSON'] === 'function') return plainAttributes(attr, path);
  const missing: string[] = [];
  const present: { [name: string]: unknown } = {};
  for (const name of Object.keys(attr)) {
    const value: unknown = attr[name];
    if (value === absent) missing.push(name);
    else setOwn(present, name, value);
  }
  // The engine converts all of an instance of a class, and of other objects only what is not JSON.
  const sent = isPlainObject(attr) ? copyAttributes(present, path) : plainAttributes(present, path);
  for (const name of missing) setOwn(sent, name, absent);
  return sent;
}

/** A copy of attributes, converted to JSON as the engine converts them. */
function copyAttributes(attr: Attributes, path: string): { [name: string]: unknown } {
  if (!isPlainObject(attr)) return plainAttributes(attr, path);
  const copies = new Map<object, unknown>();
  const sent: { [name: string]: unknown } = {};
  for (const name of Object.keys(attr)) {
    const value = convert(copyValue(attr[name], copies, 0), `${path}.${name}`);
    if (value !== undefined) setOwn(sent, name, value);
  }
  return sent;
}

function convert(value: unknown, path: string): unknown {
  try {
    return json(value);
  } catch (error) {
    // Names the attribute: the conversion knows only what is in it.
    throw error instanceof NotJsonError ? new NotJsonError(`${path}${error.message}`) : error;
  }
}

/** A copy of lists and plain objects, whose parts are read once. Anything else stays as it is, and so does what is too deep. */
function copyValue(value: unknown, copies: Map<object, unknown>, depth: number): unknown {
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value;
  const known = copies.get(value);
  if (known !== undefined) return known;
  if (Array.isArray(value) && !('toJSON' in value)) {
    const list: unknown[] = [];
    copies.set(value, list);
    for (const item of value as readonly unknown[]) list.push(copyValue(item, copies, depth + 1));
    return list;
  }
  if (!isPlainObject(value)) return value;
  const map: { [name: string]: unknown } = {};
  copies.set(value, map);
  for (const name of Object.keys(value)) setOwn(map, name, copyValue((value as Attributes)[name], copies, depth + 1));
  return map;
}
