import type { JWK } from 'jose';
import type { AuxData, Token } from '../../proto/gen/messages.js';
import type { Attributes } from '../../proto/wire/json-shape.js';
import { setOwn } from '../../packages/cel/runtime/own-property.js';
import type { Config } from '../config.js';
import type { KeySetConfig } from '../config/key-sets.js';
import type { TokenTime } from '../service/call-times.js';
import type { VerifiedAuxData } from '../service/decider.js';
import { KeysUnavailable, readClaims, TokenRefused } from './claims.js';
import { type KeySet, loadKeySet, type VerificationKey } from './key-set.js';
import type { KeySetEvent, KeySource } from './key-source.js';
import { RemoteKeySet } from './remote-key-set.js';

/**
 * Verifies the tokens of a request and returns their claims; rejects if one is invalid (docs/spec/server.md#tokens).
 * Appends the time of each token to the given list.
 */
export interface Verifier {
  (auxData: AuxData, times?: TokenTime[]): Promise<VerifiedAuxData>;
  /** Fetches no more keys. */
  readonly close: () => void;
}

/** Whom a verifier tells what its callers are not told (docs/spec/server.md#refused-tokens). */
export interface VerifierListeners {
  /** A token was refused, for this reason. */
  readonly onRefused?: (reason: string) => void;
  readonly onKeySet?: (event: KeySetEvent) => void;
}

/** How many tokens of one request are verified at a time (docs/spec/server.md#verification). */
const AT_A_TIME = 4;

/**
 * The verifier of a configuration. Throws a ConfigError for keys that cannot be used; remote keysets are fetched from
 * now on.
 */
export function createVerifier(config: Config['jwt'], listeners: VerifierListeners = {}): Verifier {
  const sources = config.keySets.map((keySet) => openKeySet(keySet, listeners.onKeySet ?? warn));
  // The first token does not wait for it.
  if (sources.length > 0 || config.disableVerification) void jose();
  const skew = config.acceptableTimeSkew / 1000;
  const verifyToken = async (token: Token): Promise<Attributes> => {
    const text = token.token.trim();
    // The library accepts padding, and a payload that is not encoded (RFC 7797), which tokens must not have.
    if (!/^[\w-]*\.[\w-]*\.[\w-]*$/.test(text)) throw new TokenRefused('the token cannot be parsed');
    const payload = config.disableVerification
      ? await unverifiedPayload(text)
      : await verifiedPayload(text, chooseKeySet(token, sources));
    return readClaims(payload, Math.floor(Date.now() / 1000), skew);
  };
  const verify = async ({ jwt, jwts }: AuxData, times?: TokenTime[]): Promise<VerifiedAuxData> => {
    const read = times === undefined ? verifyToken : timed(verifyToken, times);
    try {
      if (jwt !== undefined) return { jwt: await read(jwt), jwts: {} };
      const verified: Record<string, { readonly claims: Attributes }> = {};
      for (const [name, claims] of await inParallel([...jwts], read)) setOwn(verified, name, { claims });
      return { jwt: {}, jwts: verified };
    } catch (error) {
      const reason = formatReason(error);
      listeners.onRefused?.(reason);
      throw error instanceof TokenRefused ? error : new TokenRefused(reason);
    }
  };
  const close = (): void => {
    for (const source of sources) source.close();
  };
  return Object.assign(verify, { close });
}

/** The default listener of keyset events. */
function warn(event: KeySetEvent): void {
  process.stderr.write(`warning: ${formatEvent(event)}\n`);
}

/** The log message of a keyset event. */
export function formatEvent(event: KeySetEvent): string {
  switch (event.kind) {
    case 'unusable':
      return `keyset \`${event.id}\` ${event.reason}; tokens for it are rejected`;
    case 'failed': {
      const consequence = event.hasKeys ? 'still using the last good keys' : 'tokens for it are rejected';
      return `keyset \`${event.id}\` was not fetched: ${event.reason}; ${consequence}`;
    }
    case 'fetched':
      return `keyset \`${event.id}\` was fetched again`;
    case 'insecure':
      return `keyset \`${event.id}\` is insecure: keys without \`alg\` or tokens without \`kid\` are accepted`;
  }
}

/** Errors of other types may quote the token. */
function formatReason(error: unknown): string {
  return error instanceof TokenRefused ? error.message : 'the token cannot be parsed';
}

function timed(
  verifyToken: (token: Token) => Promise<Attributes>,
  times: TokenTime[],
): (token: Token) => Promise<Attributes> {
  return async (token) => {
    const start = performance.now();
    let refusal: string | undefined;
    try {
      return await verifyToken(token);
    } catch (error) {
      refusal = formatReason(error);
      throw error;
    } finally {
      times.push({ start, end: performance.now(), refusal });
    }
  };
}

/** Keeps the order; the first refusal ends all. */
async function inParallel(
  tokens: readonly (readonly [string, Token])[],
  verifyToken: (token: Token) => Promise<Attributes>,
): Promise<readonly (readonly [string, Attributes])[]> {
  const results: (readonly [string, Attributes])[] = [];
  let next = 0;
  const run = async (): Promise<void> => {
    while (next < tokens.length) {
      const index = next++;
      const [name, token] = tokens[index] as readonly [string, Token];
      try {
        results[index] = [name, await verifyToken(token)];
      } catch (error) {
        next = tokens.length;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, tokens.length) }, run));
  return results;
}

function chooseKeySet(token: Token, sources: readonly KeySource[]): KeySource {
  const [only, ...others] = sources;
  if (token.keySetId !== '') {
    const named = sources.find((source) => source.id === token.keySetId);
    if (named === undefined) throw new TokenRefused('the token is for an unknown keyset');
    return named;
  }
  if (only === undefined) throw new TokenRefused('no keyset is configured');
  if (others.length > 0)
    throw new TokenRefused('there are several keysets, and the request does not name one for the token');
  return only;
}

/** Servers without keysets do not load the library. */
function jose(): Promise<typeof import('jose')> {
  library ??= import('jose');
  return library;
}

let library: ReturnType<typeof jose> | undefined;

/** The payload of a token of which nothing else is verified (docs/spec/server.md#without-verification). */
async function unverifiedPayload(token: string): Promise<string> {
  (await jose()).decodeProtectedHeader(token);
  return Buffer.from(token.split('.')[1] as string, 'base64url').toString('utf8');
}

async function verifiedPayload(token: string, source: KeySource): Promise<string> {
  const { decodeProtectedHeader } = await jose();
  const { alg, kid } = decodeProtectedHeader(token);
  if (typeof alg !== 'string') throw new TokenRefused('the token names no algorithm');
  const keySet = await source.current();
  if (keySet === undefined) throw new KeysUnavailable(`keyset \`${source.id}\` is unavailable`);
  if (keySet.unusable !== undefined) throw new TokenRefused(`keyset \`${source.id}\` ${keySet.unusable}`);
  const keys = hasKid(keySet, kid) ? keySet : ((await source.newer()) ?? keySet);
  for (const { jwk, key } of keys.keys) {
    if (!mayVerify(jwk, alg, kid, keys)) continue;
    const payload = await payloadIfSigned(token, key, alg);
    if (payload !== undefined) return payload;
  }
  throw new TokenRefused(hasKid(keys, kid) ? 'no key verifies the token' : 'the token is signed by an unknown key');
}

/** Whether newer keys cannot change the result: the key is known, or the token's key id is not used. */
function hasKid({ keys, optionalKid }: KeySet, kid: string | undefined): boolean {
  return optionalKid || kid === undefined || keys.some(({ jwk }) => jwk.kid === kid);
}

/**
 * Whether the names and kinds of token and key fit (docs/spec/server.md#keysets). The token's word on its algorithm is
 * never enough.
 */
function mayVerify(key: JWK, alg: string, kid: string | undefined, keySet: KeySet): boolean {
  if (!keySet.optionalKid && (kid === undefined || key.kid !== kid)) return false;
  if (key.alg !== undefined) return key.alg === alg && listAlgorithms(key).includes(alg);
  return keySet.optionalAlg && listAlgorithms(key).includes(alg);
}

function listAlgorithms(key: JWK): readonly string[] {
  switch (key.kty) {
    case 'oct':
      return ['HS256', 'HS384', 'HS512'];
    case 'RSA':
      return ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512'];
    case 'OKP':
      return ['EdDSA', 'Ed25519'];
    case 'EC':
      return { 'P-256': ['ES256'], 'P-384': ['ES384'], 'P-521': ['ES512'] }[key.crv ?? ''] ?? [];
    default:
      return [];
  }
}

async function payloadIfSigned(token: string, key: VerificationKey['key'], alg: string): Promise<string | undefined> {
  const { compactVerify } = await jose();
  try {
    const { payload } = await compactVerify(token, key, { algorithms: [alg] });
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(payload);
  } catch {
    // Another key of the set may still fit; when none does, the caller refuses the token.
    return undefined;
  }
}

/**
 * Opens a configured keyset. Throws a ConfigError for unusable local keys. A server starts even if a remote set cannot
 * be reached.
 */
function openKeySet(config: KeySetConfig, tell: (event: KeySetEvent) => void): KeySource {
  const { id, source } = config;
  if (config.optionalAlg || config.optionalKid) tell({ kind: 'insecure', id });
  if (source.kind === 'remote') return new RemoteKeySet(config, source, tell);
  const keySet = loadKeySet(config);
  if (keySet.unusable !== undefined) tell({ kind: 'unusable', id, reason: keySet.unusable });
  return { id, current: () => keySet, newer: () => undefined, close: () => undefined };
}
