import { createPublicKey, createSecretKey, type JsonWebKey, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JWK } from 'jose';
import { ConfigError } from '../config/config-error.js';
import type { KeySetConfig } from '../config/key-sets.js';
import { explainReadError } from '../read-error.js';

/** Keys that verify tokens (docs/spec/server.md#keysets). */
export interface KeySet {
  readonly keys: readonly VerificationKey[];
  readonly optionalAlg: boolean;
  readonly optionalKid: boolean;
  /** Why this set accepts no tokens: one of its keys lacks `alg` or `kid` (docs/spec/server.md#keysets). */
  readonly unusable: string | undefined;
}

/** A key as its set describes it, and as it is used. */
export interface VerificationKey {
  readonly jwk: JWK;
  readonly key: KeyObject;
}

/** Keys that a server cannot verify anything with; the message follows the name of the set. */
class BadKeys extends Error {}

/**
 * Loads a local keyset. Throws a ConfigError for invalid keys: a server must not start with them
 * (docs/spec/server.md#start-failures). A set of valid keys without `alg` or `kid` is safe to start with, because it
 * rejects every token.
 */
export function loadKeySet(config: KeySetConfig): KeySet {
  try {
    return parseKeySet(readMaterial(config), config);
  } catch (error) {
    if (error instanceof BadKeys) throw new ConfigError(`keyset \`${config.id}\` ${error.message}`, config.place);
    throw error;
  }
}

/** Parses a keyset. Throws BadKeys. */
export function parseKeySet(material: string, config: KeySetConfig): KeySet {
  const { optionalAlg, optionalKid } = config;
  const all = config.source.pem ? pemKeys(material) : jwkKeys(material);
  if (all === undefined || all.length === 0)
    throw new BadKeys(config.source.pem ? 'contains no PEM key' : 'is not a JSON Web Key or key set');
  const keys = all.flatMap((key) => verificationKey(key) ?? []);
  if (keys.length === 0) throw new BadKeys('has no key that can verify a token');
  const jwks = keys.map(({ jwk }) => jwk);
  return { keys, optionalAlg, optionalKid, unusable: whyUnusable(jwks, config) };
}

function readMaterial({ source }: KeySetConfig): string {
  switch (source.kind) {
    case 'data':
      if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(source.base64)) throw new BadKeys('is not base64');
      return Buffer.from(source.base64, 'base64').toString('utf8');
    case 'file':
      try {
        return readFileSync(source.path, 'utf8');
      } catch (error) {
        throw new BadKeys(`cannot be read from \`${source.path}\`: ${explainReadError(error)}`);
      }
    case 'remote':
      throw new BadKeys('is not available');
  }
}

function jwkKeys(text: string): readonly unknown[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text.replace(/^\ufeff/, ''));
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const keys = Object.hasOwn(parsed, 'keys') ? (parsed as { keys: unknown }).keys : [parsed];
  return Array.isArray(keys) ? keys : undefined;
}

/**
 * A key of a set as it verifies tokens; undefined for one that a server does not understand, that is malformed, or that is
 * not for signatures. Others of the set count nevertheless (RFC 7517, sections 4.2, 4.3 and 5).
 */
function verificationKey(given: unknown): VerificationKey | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  const { use, key_ops: operations } = given as JWK;
  if (use !== undefined && use !== 'sig') return undefined;
  // A private key says `sign`; its public part verifies.
  if (operations !== undefined && !(Array.isArray(operations) && operations.some((one) => VERIFY.has(one))))
    return undefined;
  const jwk = publicPart(given as JWK);
  const key = importKey(jwk);
  return key && { jwk, key };
}

const VERIFY: ReadonlySet<string> = new Set(['verify', 'sign']);

const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g;

function pemKeys(text: string): readonly JWK[] | undefined {
  try {
    return (text.match(PEM_BLOCK) ?? []).map((block) => createPublicKey(block).export({ format: 'jwk' }) as JWK);
  } catch {
    return undefined;
  }
}

/** Keeps of a private key only what verifies; a symmetric key is its own counterpart. */
function publicPart(key: JWK): JWK {
  const { kty, alg, kid, crv, x, y, n, e } = key;
  const named = {
    ...(kty !== undefined && { kty }),
    ...(alg !== undefined && { alg }),
    ...(kid !== undefined && { kid }),
  };
  if (kty === 'oct') return { ...named, ...(key.k !== undefined && { k: key.k }) } as JWK;
  return { ...named, ...(crv && { crv }), ...(x && { x }), ...(y && { y }), ...(n && { n }), ...(e && { e }) } as JWK;
}

function whyUnusable(keys: readonly JWK[], { optionalAlg, optionalKid }: KeySetConfig): string | undefined {
  if (!optionalAlg && keys.some((key) => key.alg === undefined)) return 'has a key without `alg`';
  if (!optionalKid && keys.some((key) => key.kid === undefined)) return 'has a key without `kid`';
  return undefined;
}

function importKey(jwk: JWK): KeyObject | undefined {
  try {
    if (jwk.kty !== 'oct') return createPublicKey({ key: jwk as JsonWebKey, format: 'jwk' });
    if (typeof jwk.k === 'string' && jwk.k !== '') return createSecretKey(jwk.k, 'base64url');
  } catch {
    // Of an unknown type or curve, or malformed.
  }
  return undefined;
}
