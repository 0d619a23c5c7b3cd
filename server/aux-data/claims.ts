import type { Attributes } from '../../proto/wire/json-shape.js';
import { setOwn } from '../../packages/cel/runtime/own-property.js';

/**
 * The claims of a token as conditions see them (docs/spec/server.md#claims). Throws for claims of a wrong type or out
 * of their time (docs/spec/server.md#verification).
 */
export function readClaims(payload: string, now: number, skew: number): Attributes {
  const parsed = parse(payload);
  const claims: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(parsed)) {
    if (value !== null || TYPED.has(name)) setOwn(claims, name, convert(name, value));
  }
  checkTimes(parsed, now, skew);
  return claims;
}

/** Claims that are never dropped: a token whose `exp` is null is not one that never expires. */
const TYPED: ReadonlySet<string> = new Set(['exp', 'nbf', 'iat', 'aud']);

/** The reason of the platform would quote the claims. */
function parse(payload: string): { readonly [name: string]: unknown } {
  let parsed: unknown;
  try {
    parsed = JSON.parse(payload);
  } catch {
    throw new TokenRefused('claims are not JSON');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    throw new TokenRefused('claims are not an object');
  return parsed as { readonly [name: string]: unknown };
}

function convert(name: string, value: unknown): unknown {
  switch (name) {
    case 'exp':
    case 'iat':
    case 'nbf':
      return timestampText(seconds(value, name));
    case 'aud':
      return audience(value);
    case 'sub':
    case 'iss':
    case 'jti':
      if (typeof value !== 'string') throw new TokenRefused(`${name} is not a string`);
      return value;
    default:
      return value;
  }
}

/** `exp` must lie after now, `nbf` and `iat` must not; each by no more than the skew. Seconds. */
function checkTimes(claims: { readonly [name: string]: unknown }, now: number, skew: number): void {
  const { exp, nbf, iat } = claims;
  if (exp !== undefined && seconds(exp, 'exp') + skew <= now) throw new TokenRefused('token expired');
  if (nbf !== undefined && seconds(nbf, 'nbf') - skew > now) throw new TokenRefused('token not yet valid');
  if (iat !== undefined && seconds(iat, 'iat') - skew > now) throw new TokenRefused('token issued in the future');
}

/** The range that a timestamp can have: 0001-01-01 to 9999-12-31. */
const FIRST_SECOND = -62_135_596_800;
const LAST_SECOND = 253_402_300_799;

function seconds(value: unknown, name: string): number {
  if (typeof value !== 'number' || value < FIRST_SECOND || value > LAST_SECOND)
    throw new TokenRefused(`${name} is not a time`);
  return Math.trunc(value);
}

function timestampText(value: number): string {
  return new Date(value * 1000).toISOString().replace('.000Z', 'Z');
}

function audience(value: unknown): readonly string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw new TokenRefused('aud is neither a string nor a list of strings');
}

/**
 * A token that is not accepted. The message is the reason, for the log: the caller is never told
 * (docs/spec/server.md#refused-tokens), and no part of the token is in it.
 */
export class TokenRefused extends Error {}

/** The token cannot be verified now: its keys could not be fetched. */
export class KeysUnavailable extends TokenRefused {}
