import { createPrivateKey, createPublicKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { calculateJwkThumbprint, type JWK } from 'jose';

/** The signature algorithms, each of one type of key: a signature cannot choose another one. */
const ALGORITHMS: { readonly [type: string]: Algorithm } = {
  'OKP Ed25519': 'EdDSA',
  'EC P-256': 'ES256',
  'EC P-384': 'ES384',
};

/** A JWS algorithm. */
export type Algorithm = 'EdDSA' | 'ES256' | 'ES384';

/** A key that verifies signatures. */
export interface PublicKey {
  /** The thumbprint (RFC 7638, SHA-256): the same key has the same id, whatever it is called. */
  readonly id: string;
  /** What signatures may call it (`kid`): its id, and the name that a JSON Web Key gives it. */
  readonly names: readonly string[];
  readonly algorithm: Algorithm;
  readonly key: KeyObject;
}

/** A key that signs. */
export interface SigningKey extends Pick<PublicKey, 'id' | 'algorithm' | 'key'> {}

/**
 * Reads public keys: PEM blocks, a JSON Web Key or a JWK set. Rejects with an Error that says what is wrong: every key
 * must be Ed25519, P-256 or P-384, and public.
 */
export async function readPublicKeys(text: string): Promise<readonly PublicKey[]> {
  // Also without a byte-order mark, which JSON.parse does not read.
  const trimmed = text.trim();
  const jwks = trimmed.startsWith('{') ? parseJwks(trimmed) : parsePemKeys(trimmed);
  if (jwks.length === 0) throw new Error('contains no public key');
  return Promise.all(jwks.map(importPublicKey));
}

/** Reads a private key in PEM. Rejects with an Error that says what is wrong. */
export async function readSigningKey(pem: string): Promise<SigningKey> {
  let key: KeyObject;
  try {
    key = createPrivateKey(pem);
  } catch {
    throw new Error('is not an unencrypted private key in PEM');
  }
  const { id, algorithm } = await describe(createPublicKey(key).export({ format: 'jwk' }) as JWK);
  return { id, algorithm, key };
}

async function importPublicKey(jwk: JWK): Promise<PublicKey> {
  if (jwk.d !== undefined) throw new Error('contains a private key; servers only need the public one');
  const { id, algorithm, key } = await describe(jwk);
  if (jwk.alg !== undefined && jwk.alg !== algorithm)
    throw new Error(`has a key for \`${jwk.alg}\`, but its type is that of \`${algorithm}\``);
  if (jwk.use !== undefined && jwk.use !== 'sig') throw new Error('has a key that is not for signatures');
  return { id, names: jwk.kid === undefined ? [id] : [id, jwk.kid], algorithm, key };
}

async function describe(jwk: JWK): Promise<Pick<PublicKey, 'id' | 'algorithm' | 'key'>> {
  const type = [jwk.kty, jwk.crv].filter(Boolean).join(' ');
  const algorithm = Object.hasOwn(ALGORITHMS, type) ? ALGORITHMS[type] : undefined;
  if (algorithm === undefined) throw new Error(`has a key of the type \`${type}\`; it must be Ed25519, P-256 or P-384`);
  try {
    const key = createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    return { id: await calculateJwkThumbprint(key.export({ format: 'jwk' }) as JWK), algorithm, key };
  } catch {
    throw new Error('has a key that cannot be used');
  }
}

function parseJwks(text: string): readonly JWK[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new Error('is neither PEM nor JSON');
  }
  const { keys = [parsed] } = parsed as { readonly keys?: unknown };
  if (!Array.isArray(keys) || !keys.every((key) => typeof key === 'object' && key !== null))
    throw new Error('is not a JSON Web Key or a set of them');
  return keys as readonly JWK[];
}

const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g;

function parsePemKeys(text: string): readonly JWK[] {
  return [...text.matchAll(PEM_BLOCK)].map(([block, label = '']) => {
    if (label.endsWith('PRIVATE KEY')) throw new Error('contains a private key; servers only need the public one');
    try {
      return createPublicKey(block).export({ format: 'jwk' }) as JWK;
    } catch {
      throw new Error('has a key that cannot be used; it must be Ed25519, P-256 or P-384');
    }
  });
}
