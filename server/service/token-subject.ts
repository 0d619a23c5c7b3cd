import type { AuxData, Principal } from '../../proto/gen/messages.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import type { TokenSubjectConfig } from '../config.js';
import type { Call } from './call.js';
import { refused, RpcError } from './rpc-error.js';

/** The call has no token that says who the subject is. */
export class TokenRequired extends RpcError {
  constructor() {
    super(
      'unauthenticated',
      'the subject needs a token: in `context["authz.auxData"].jwt`, or as `Authorization: Bearer`',
    );
  }
}

/**
 * The tokens of a request, among them that of the subject: the one in its context, or else that of the header
 * `authorization`. Throws a TokenRequired if there is none.
 */
export function withSubjectToken(call: Pick<Call, 'metadata'>, auxData: AuxData | undefined): AuxData {
  if (auxData?.jwt !== undefined) return auxData;
  if (auxData !== undefined && auxData.jwts.size > 0)
    throw refused('send the token of the subject as `jwt`: with `jwts`, its token is ambiguous');
  const [scheme, token, ...more] = (call.metadata().get('authorization')?.[0] ?? '').split(' ');
  if (scheme?.toLowerCase() !== 'bearer' || token === undefined || token === '' || more.length > 0)
    throw new TokenRequired();
  return { jwt: { token, keySetId: '' }, jwts: new Map() };
}

/**
 * The principal that verified claims describe. Nothing else that the caller says of the subject counts, and its id must
 * be the one in the token. Throws an RpcError if the token is not for this server or does not describe a principal.
 */
export function provenPrincipal(subject: TokenSubjectConfig, claims: Attributes, claimedId: string): Principal {
  const principal = principalOfClaims(subject, claims);
  if (principal.id !== claimedId) throw denied('`subject.id` is not the subject of the token');
  return principal;
}

/** The principal that verified claims describe. Throws an RpcError if they do not describe one, or are for others. */
export function principalOfClaims(subject: TokenSubjectConfig, claims: Attributes): Principal {
  const audience = claims['aud'];
  const isMeant = Array.isArray(audience) && audience.some((one) => subject.audiences.includes(one as string));
  if (subject.audiences.length > 0 && !isMeant) throw denied('the token is for another audience');
  const id = claimAt(claims, subject.id);
  if (typeof id !== 'string' || id === '') throw denied('the token has no subject id');
  const named = namesIn(claimAt(claims, subject.roles));
  const roles = named.length === 0 ? subject.defaultRoles : named;
  if (roles.length === 0) throw denied('the token has no roles');
  const attr: [string, unknown][] = [];
  for (const [name, path] of Object.entries(subject.attributes)) {
    const value = claimAt(claims, path);
    if (value !== undefined) attr.push([name, value]);
  }
  const scope = subject.scope === undefined ? '' : claimAt(claims, subject.scope);
  // Without its scope, the principal would be judged by the policies of another one.
  if (typeof scope !== 'string') throw denied('the token has no scope');
  return { id, policyVersion: '', roles, attr: Object.fromEntries(attr), scope, actors: [] };
}

function claimAt(claims: Attributes, path: readonly string[]): unknown {
  let value: unknown = claims;
  for (const name of path) {
    if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, name))
      return undefined;
    value = (value as Attributes)[name];
  }
  return value;
}

function namesIn(value: unknown): readonly string[] {
  const names = Array.isArray(value) ? value : [value];
  return [...new Set(names.filter((name): name is string => typeof name === 'string' && name !== ''))];
}

function denied(reason: string): RpcError {
  return new RpcError('permission_denied', reason);
}
