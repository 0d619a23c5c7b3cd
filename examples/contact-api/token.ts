import { errors, jwtVerify } from 'jose';
import { Refusal } from './refusal.js';

/** The caller, as policies see it. */
export interface Principal {
  readonly id: string;
  readonly roles: readonly string[];
  readonly attr: { readonly [claim: string]: unknown };
}

/** Returns the principal of an `Authorization` header. Rejects with a Refusal. */
export type Authenticate = (header: string | undefined) => Promise<Principal>;

/**
 * Accepts tokens signed with a secret, by HMAC with SHA-256 and nothing else: a token must not choose how it is
 * verified.
 */
export function bearerTokens(secret: string): Authenticate {
  const key = new TextEncoder().encode(secret);
  return async (header) => {
    const { payload } = await jwtVerify(tokenOf(header), key, { algorithms: ['HS256'] }).catch(refuse);
    return principalOf(payload);
  };
}

function tokenOf(header: string | undefined): string {
  if (header === undefined) throw new Refusal(401, 'the request has no Authorization header');
  const [, token] = /^Bearer +([^\s]+)$/i.exec(header) ?? [];
  if (token === undefined) throw new Refusal(401, 'the Authorization header must be `Bearer <token>`');
  return token;
}

/** The exact reason would help an attacker. That a token has expired helps everybody else. */
function refuse(error: unknown): never {
  throw new Refusal(401, error instanceof errors.JWTExpired ? 'the token has expired' : 'the token is not valid');
}

function principalOf({ sub, roles, iat: _, ...attr }: { readonly [claim: string]: unknown }): Principal {
  // SQLite's driver cuts strings at a NUL: the part before it is another principal.
  if (typeof sub !== 'string' || sub === '' || sub.includes('\0'))
    throw new Refusal(401, 'the token does not say who it is for');
  return { id: sub, roles: rolesOf(roles), attr };
}

/** Anything other than a list of strings gives no roles. */
function rolesOf(claim: unknown): readonly string[] {
  const isRole = (role: unknown): role is string => typeof role === 'string' && role !== '';
  return Array.isArray(claim) && claim.every(isRole) ? [...new Set(claim)] : [];
}
