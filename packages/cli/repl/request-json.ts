import type { Attributes, AuxData, Principal, Resource } from '../../../runtime/policy/index.js';

/** The request without derived roles and time, which cannot be set. */
export interface RequestParts {
  readonly principal: Principal;
  readonly resource: Resource;
  readonly auxData: AuxData;
}

/** A request in which nothing is set. */
export const EMPTY_PARTS: RequestParts = {
  principal: { id: '', roles: [], attr: {}, policyVersion: '', scope: '' },
  resource: { kind: '', id: '', attr: {}, policyVersion: '', scope: '' },
  auxData: { jwt: {}, jwts: {} },
};

/** Why a JSON value is not a valid request. */
export class RequestProblem extends Error {}

/** `{"principal": ..., "resource": ..., "auxData": ...}`; missing parts are empty. Throws a RequestProblem. */
export function readRequest(json: unknown): RequestParts {
  const {
    principal = {},
    resource = {},
    auxData = {},
  } = readFields(json, 'request', ['principal', 'resource', 'auxData']);
  return { principal: readPrincipal(principal), resource: readResource(resource), auxData: readAuxData(auxData) };
}

/**
 * `{"id": "alice", "roles": ["user"], "attr": {...}}`, with `policyVersion` and `scope`; missing fields are empty.
 * Throws a RequestProblem.
 */
export function readPrincipal(json: unknown): Principal {
  const fields = readFields(json, 'principal', ['id', 'roles', 'attr', 'policyVersion', 'scope']);
  const { roles = [], attr = {} } = fields;
  if (!Array.isArray(roles) || roles.some((role) => typeof role !== 'string'))
    throw new RequestProblem('`roles` of a principal must be a list of strings');
  return {
    ...readTexts(fields, ['id', 'policyVersion', 'scope'], 'principal'),
    roles,
    attr: readMap(attr, '`attr` of a principal'),
  };
}

/**
 * `{"kind": "album", "id": "a1", "attr": {...}}`, with `policyVersion` and `scope`; missing fields are empty. Throws a
 * RequestProblem.
 */
export function readResource(json: unknown): Resource {
  const fields = readFields(json, 'resource', ['kind', 'id', 'attr', 'policyVersion', 'scope']);
  const { attr = {} } = fields;
  return {
    ...readTexts(fields, ['kind', 'id', 'policyVersion', 'scope'], 'resource'),
    attr: readMap(attr, '`attr` of a resource'),
  };
}

/** Claims of tokens: `{"jwt": {...}, "jwts": {"name": {"claims": {...}}}}`. Throws a RequestProblem. */
export function readAuxData(json: unknown): AuxData {
  const { jwt = {}, jwts = {} } = readFields(json, 'auxData', ['jwt', 'jwts']);
  const tokens = Object.entries(readMap(jwts, '`jwts`')).map(([name, token]) => {
    const { claims = {} } = readFields(token, 'token', ['claims']);
    return [name, { claims: readMap(claims, '`claims` of a token') }] as const;
  });
  return { jwt: readMap(jwt, '`jwt`'), jwts: Object.fromEntries(tokens) };
}

/** Throws a RequestProblem unless it is a map. */
export function readMap(json: unknown, what: string): Attributes {
  if (typeof json !== 'object' || json === null || Array.isArray(json))
    throw new RequestProblem(`${what} must be a map of names to values`);
  return json as Attributes;
}

function readFields(json: unknown, what: string, known: readonly string[]): { readonly [name: string]: unknown } {
  const fields = readMap(json, `\`${what}\``);
  const unknown = Object.keys(fields).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw new RequestProblem(`\`${what}\` has no field \`${unknown}\`: its fields are ${known.join(', ')}`);
  return fields;
}

function readTexts<N extends string>(
  fields: { readonly [name: string]: unknown },
  names: readonly N[],
  what: string,
): { readonly [name in N]: string } {
  const texts = names.map((name) => {
    const value = fields[name] ?? '';
    if (typeof value !== 'string') throw new RequestProblem(`\`${name}\` of a ${what} must be a string`);
    return [name, value] as const;
  });
  return Object.fromEntries(texts) as { readonly [name in N]: string };
}
