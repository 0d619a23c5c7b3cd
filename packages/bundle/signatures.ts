import { FlattenedSign, flattenedVerify } from 'jose';
import { type Archive, readArchive, withSignatures } from './archive.js';
import { ArchiveError } from './archive-error.js';
import { canonicalJson, parseCanonicalJson } from './canonical-json.js';
import type { PublicKey, SigningKey } from './keys.js';

/*
 * `signatures.json` is a JWS in the general JSON serialisation (RFC 7515, 7.2.1) whose payload, the bytes of
 * `manifest.json`, is detached.
 */

/** One signature as it is stored. */
interface Signature {
  /** base64url of the header. */
  readonly protected: string;
  /** base64url. */
  readonly signature: string;
}

/** What the header of a signature says, before anything is verified. */
export interface SignatureHeader {
  readonly alg: string;
  /** The id of the key, or another name of it. */
  readonly kid: string;
  /** When it was signed, in seconds since 1970. */
  readonly iat?: number;
}

/** Keeps signatures that the same key makes for other purposes from being used here. */
const TYPE = 'authz-bundle';

/** The largest number of signatures of an archive. */
const MAX_SIGNATURES = 16;

/**
 * Adds a signature to an archive, in place of an earlier one of the same key. Rejects with an ArchiveError for what is
 * not an archive.
 *
 * @param now in milliseconds since 1970: the signature tells its age.
 */
export async function signArchive(
  bytes: Uint8Array,
  { id, algorithm, key }: SigningKey,
  now: number,
): Promise<Uint8Array> {
  const archive = readArchive(bytes);
  const header = { alg: algorithm, iat: Math.floor(now / 1000), kid: id, typ: TYPE };
  const { protected: written = '', signature } = await new FlattenedSign(archive.manifestBytes)
    .setProtectedHeader(header)
    .sign(key);
  const others = parseSignatures(archive).filter((other) => parseHeader(other)?.kid !== id);
  const signatures = [...others, { protected: written, signature }];
  if (signatures.length > MAX_SIGNATURES)
    throw new ArchiveError('too_large', `has ${MAX_SIGNATURES} signatures; no more fit`);
  return withSignatures(bytes, Buffer.from(canonicalJson({ signatures })));
}

/**
 * The same archive with signatures that were stored apart from it, such as in a registry, after its own. What
 * `signArchive` would not have written, and what exceeds the limit, is left out. Throws an ArchiveError for what is not an
 * archive.
 *
 * @param stored the contents of files like `signatures.json`.
 */
export function addSignatures(bytes: Uint8Array, stored: readonly Uint8Array[]): Uint8Array {
  const archive = readArchive(bytes);
  const own = parseSignatures(archive);
  const all = [...own];
  for (const signatureBytes of stored) {
    const known = new Set(all.map(({ protected: header, signature }) => `${header}.${signature}`));
    const added = readStored({ ...archive, signatureBytes });
    all.push(...added.filter(({ protected: header, signature }) => !known.has(`${header}.${signature}`)));
  }
  const signatures = all.slice(0, MAX_SIGNATURES);
  return signatures.length === own.length ? bytes : withSignatures(bytes, Buffer.from(canonicalJson({ signatures })));
}

function readStored(archive: Archive): readonly Signature[] {
  try {
    return parseSignatures(archive);
  } catch {
    return [];
  }
}

/** The headers of the signatures of an archive. Nobody has verified them. Throws an ArchiveError. */
export function signatureHeaders(archive: Archive): readonly (SignatureHeader | undefined)[] {
  return parseSignatures(archive).map(parseHeader);
}

/** A signature that was verified. */
export interface VerifiedSignature {
  /** The id of the key. */
  readonly key: string;
  /** Milliseconds since 1970; undefined if it does not say. */
  readonly signedAt: number | undefined;
}

/** What the signatures of an archive are worth. */
export interface Verification {
  /** One for each key that has signed: the newest. */
  readonly verified: readonly VerifiedSignature[];
  /** The ids of keys in whose name there are signatures that do not fit. */
  readonly invalid: readonly string[];
}

/** Verifies the signatures of an archive by keys; those in the names of other keys are ignored. */
export async function verifySignatures(archive: Archive, keys: readonly PublicKey[]): Promise<Verification> {
  const verified = new Map<string, VerifiedSignature>();
  const invalid = new Set<string>();
  for (const signature of parseSignatures(archive)) {
    const header = parseHeader(signature);
    const key = header && keys.find(({ names }) => names.includes(header.kid));
    if (header === undefined || key === undefined) continue;
    if (!(await fits(signature, archive.manifestBytes, key))) {
      invalid.add(key.id);
      continue;
    }
    const signedAt = header.iat === undefined ? undefined : header.iat * 1000;
    const earlier = verified.get(key.id);
    if (earlier === undefined || (signedAt ?? 0) > (earlier.signedAt ?? 0))
      verified.set(key.id, { key: key.id, signedAt });
  }
  return { verified: [...verified.values()], invalid: [...invalid].filter((key) => !verified.has(key)) };
}

/** The algorithm is that of the key, whatever the header says. */
async function fits(signature: Signature, manifest: Uint8Array, { key, algorithm }: PublicKey): Promise<boolean> {
  const payload = Buffer.from(manifest.buffer, manifest.byteOffset, manifest.byteLength).toString('base64url');
  try {
    await flattenedVerify({ ...signature, payload }, key, { algorithms: [algorithm] });
    return true;
  } catch {
    return false;
  }
}

function parseSignatures({ signatureBytes }: Archive): readonly Signature[] {
  if (signatureBytes === undefined) return [];
  const parsed = parseCanonicalJson(signatureBytes) as { readonly signatures?: unknown } | null | undefined;
  const signatures = parsed?.signatures;
  const isRight =
    Array.isArray(signatures) &&
    Object.keys(parsed as object).length === 1 &&
    signatures.length <= MAX_SIGNATURES &&
    signatures.every(isSignature);
  if (!isRight)
    throw new ArchiveError('signature_invalid', '`signatures.json` is not what `authzc bundle sign` writes');
  return signatures;
}

function isSignature(value: unknown): value is Signature {
  if (typeof value !== 'object' || value === null) return false;
  const { protected: header, signature, ...more } = value as { readonly [field: string]: unknown };
  return typeof header === 'string' && typeof signature === 'string' && Object.keys(more).length === 0;
}

const HEADER_FIELDS = ['alg', 'iat', 'kid', 'typ'];

/** Undefined for a header with other fields, such as `crit`: nothing may change how a signature is verified. */
function parseHeader({ protected: written }: Signature): SignatureHeader | undefined {
  let header: { readonly [field: string]: unknown };
  try {
    header = JSON.parse(Buffer.from(written, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
  if (typeof header !== 'object' || header === null) return undefined;
  const { alg, iat, kid, typ } = header;
  const isRight =
    Object.keys(header).every((field) => HEADER_FIELDS.includes(field)) &&
    typ === TYPE &&
    typeof alg === 'string' &&
    typeof kid === 'string' &&
    (iat === undefined || (Number.isSafeInteger(iat) && Math.abs(iat as number) < 1e11));
  return isRight ? ({ alg, kid, ...(iat !== undefined && { iat }) } as SignatureHeader) : undefined;
}
