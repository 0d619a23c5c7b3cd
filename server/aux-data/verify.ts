import { compactVerify, decodeProtectedHeader, importJWK, type JWK } from 'jose';
import { setOwn } from '../../proto/codec/own.js';
import type { Attributes, AuxData, Token } from '../../proto/messages.js';
import type { Config } from '../config.js';
import type { VerifiedAuxData } from '../service/decider.js';
import { readClaims } from './claims.js';
import { type KeySet, loadKeySet } from './key-set.js';

/** Verifies the tokens of a request and gives their claims; rejects when one is not good (server.md 3). */
export type Verifier = (auxData: AuxData) => Promise<VerifiedAuxData>;

/** The verifier of a configuration. Throws a ConfigError for keys that cannot be used; tells the operator of keysets that refuse every token. */
export function verifierOf(config: Config['jwt']): Verifier {
  const keySets = config.keySets.map(loadKeySet);
  for (const { id, unusable } of keySets) {
    if (unusable !== undefined) console.error(`warning: keyset \`${id}\` ${unusable}; tokens for it are refused`);
  }
  const skew = config.acceptableTimeSkew / 1000;
  const claimsOf = async (token: Token): Promise<Attributes> => {
    const text = token.token.trim();
    const payload = config.disableVerification ? unverifiedPayload(text) : await verifiedPayload(text, chooseKeySet(token, keySets));
    return readClaims(payload, Math.floor(Date.now() / 1000), skew);
  };
  return async ({ jwt, jwts }) => {
    if (jwt !== undefined) return { jwt: await claimsOf(jwt), jwts: {} };
    const named = await Promise.all([...jwts].map(async ([name, token]) => [name, await claimsOf(token)] as const));
    const verified: Record<string, unknown> = {};
    for (const [name, claims] of named) setOwn(verified, name, { claims });
    return { jwt: {}, jwts: verified as VerifiedAuxData['jwts'] };
  };
}

function chooseKeySet(token: Token, keySets: readonly KeySet[]): KeySet {
  const [only, ...others] = keySets;
  const chosen = token.keySetId === '' ? (others.length === 0 ? only : undefined) : keySets.find((set) => set.id === token.keySetId);
  if (chosen === undefined) throw new Error('no keyset for the token');
  if (chosen.unusable !== undefined) throw new Error(`the keyset of the token ${chosen.unusable}`);
  return chosen;
}

/** Three segments, the second of which is base64url; nothing else is looked at (3.4). */
function unverifiedPayload(token: string): string {
  const segments = token.split('.');
  if (segments.length !== 3 || !segments.every((segment) => /^[\w-]*$/.test(segment))) throw new Error('not a token');
  decodeProtectedHeader(token);
  return Buffer.from(segments[1] as string, 'base64url').toString('utf8');
}

async function verifiedPayload(token: string, keySet: KeySet): Promise<string> {
  const { alg, kid } = decodeProtectedHeader(token);
  if (typeof alg !== 'string') throw new Error('the token names no algorithm');
  for (const key of keySet.keys) {
    if (!mayVerify(key, alg, kid, keySet)) continue;
    const payload = await payloadIfSigned(token, key, alg);
    if (payload !== undefined) return payload;
  }
  throw new Error('no key verifies the token');
}

/** Whether the names and kinds of token and key fit (3.1). The token's word on its algorithm is never enough. */
function mayVerify(key: JWK, alg: string, kid: string | undefined, keySet: KeySet): boolean {
  if (!keySet.optionalKid && (kid === undefined || key.kid !== kid)) return false;
  if (key.alg !== undefined) return key.alg === alg;
  return keySet.optionalAlg && algorithmsOf(key).includes(alg);
}

function algorithmsOf(key: JWK): readonly string[] {
  switch (key.kty) {
    case 'oct':
      return ['HS256', 'HS384', 'HS512'];
    case 'RSA':
      return ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
    case 'OKP':
      return ['EdDSA'];
    case 'EC':
      return { 'P-256': ['ES256'], 'P-384': ['ES384'], 'P-521': ['ES512'] }[key.crv ?? ''] ?? [];
    default:
      return [];
  }
}

async function payloadIfSigned(token: string, key: JWK, alg: string): Promise<string | undefined> {
  try {
    const { payload } = await compactVerify(token, await importJWK(key, alg), { algorithms: [alg] });
    return new TextDecoder('utf-8', { fatal: true }).decode(payload);
  } catch {
    // Another key of the set may still fit; when none does, the caller refuses the token.
    return undefined;
  }
}
