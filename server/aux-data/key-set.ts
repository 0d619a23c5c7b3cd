import { createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { JWK } from 'jose';
import { ConfigError } from '../config/config-error.js';
import type { KeySetConfig, KeySource } from '../config/key-sets.js';

/** Keys that verify tokens (server.md 3.1). */
export interface KeySet {
  readonly id: string;
  readonly keys: readonly JWK[];
  readonly optionalAlg: boolean;
  readonly optionalKid: boolean;
  /** Why no token is accepted for this set: one of its keys does not say what it is for (3.1). */
  readonly unusable: string | undefined;
}

/**
 * Reads the keys of a configured set. Throws a ConfigError for what is no key: a server must not start with such a set (2.3). A set of
 * good keys that lack `alg` or `kid` is safe to start with, for it refuses every token.
 */
export function loadKeySet(config: KeySetConfig): KeySet {
  const material = readMaterial(config);
  const keys = (config.source.pem ? pemKeys(material) : jwkKeys(material))?.map(publicPart);
  if (keys === undefined || keys.length === 0) return refuse(config, config.source.pem ? 'holds no PEM key' : 'is no JSON Web Key or set of them');
  for (const key of keys) checkKey(key, config);
  return { id: config.id, keys, optionalAlg: config.optionalAlg, optionalKid: config.optionalKid, unusable: whyUnusable(keys, config) };
}

function readMaterial(config: KeySetConfig): string {
  const source: KeySource = config.source;
  if (source.kind === 'remote') return refuse(config, 'is not here');
  if (source.kind === 'data') {
    if (!/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(source.base64)) return refuse(config, 'is no base64');
    return Buffer.from(source.base64, 'base64').toString('utf8');
  }
  try {
    return readFileSync(source.path, 'utf8');
  } catch (error) {
    return refuse(config, `cannot be read from \`${source.path}\` (${(error as NodeJS.ErrnoException).code ?? 'unknown reason'})`);
  }
}

function jwkKeys(text: string): readonly JWK[] | undefined {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof parsed !== 'object' || parsed === null) return undefined;
  const keys = Object.hasOwn(parsed, 'keys') ? (parsed as { keys: unknown }).keys : [parsed];
  if (!Array.isArray(keys)) return undefined;
  return keys.every((key) => typeof key === 'object' && key !== null && typeof key.kty === 'string') ? keys : undefined;
}

const PEM_BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----[^-]+-----END \1-----/g;

function pemKeys(text: string): readonly JWK[] | undefined {
  try {
    return (text.match(PEM_BLOCK) ?? []).map((block) => createPublicKey(block).export({ format: 'jwk' }) as JWK);
  } catch {
    return undefined;
  }
}

/** Of a private key only what verifies; a symmetric key is its own counterpart. */
function publicPart(key: JWK): JWK {
  const { kty, alg, kid, crv, x, y, n, e } = key;
  const named = { ...(kty !== undefined && { kty }), ...(alg !== undefined && { alg }), ...(kid !== undefined && { kid }) };
  if (kty === 'oct') return { ...named, ...(key.k !== undefined && { k: key.k }) } as JWK;
  return { ...named, ...(crv && { crv }), ...(x && { x }), ...(y && { y }), ...(n && { n }), ...(e && { e }) } as JWK;
}

function whyUnusable(keys: readonly JWK[], { optionalAlg, optionalKid }: KeySetConfig): string | undefined {
  if (!optionalAlg && keys.some((key) => key.alg === undefined)) return 'has a key without `alg`';
  if (!optionalKid && keys.some((key) => key.kid === undefined)) return 'has a key without `kid`';
  return undefined;
}

function checkKey(key: JWK, config: KeySetConfig): void {
  if (key.kty !== 'oct') {
    try {
      createPublicKey({ key: key as import('node:crypto').JsonWebKey, format: 'jwk' });
    } catch {
      refuse(config, 'has a key that cannot be used');
    }
  } else if (typeof key.k !== 'string' || key.k === '') refuse(config, 'has a key that cannot be used');
}

function refuse(config: KeySetConfig, problem: string): never {
  throw new ConfigError(`keyset \`${config.id}\` ${problem}`, config.place);
}
