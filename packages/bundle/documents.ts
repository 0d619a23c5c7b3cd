import { FlattenedSign, flattenedVerify } from 'jose';
import type { PublicKey, SigningKey } from './keys.js';

/*
 * The signature of a file is a JWS in the flattened JSON serialisation (RFC 7515, 7.2.2) whose payload, the bytes of the
 * file, is detached.
 */

/** Keeps signatures that the same key makes for other purposes from being used here, and these from being used there. */
const TYPE = 'authz-document';

/** Returns the signature of a file, by a key as archives are signed by. */
export async function signDocument(
  bytes: Uint8Array,
  { id, algorithm, key }: SigningKey,
  now: number,
): Promise<string> {
  const header = { alg: algorithm, iat: Math.floor(now / 1000), kid: id, typ: TYPE };
  const { protected: written = '', signature } = await new FlattenedSign(bytes).setProtectedHeader(header).sign(key);
  return `${JSON.stringify({ protected: written, signature })}\n`;
}

/** The id of the key that has signed a file; undefined if none of the keys has. */
export async function verifyDocument(
  bytes: Uint8Array,
  signature: string,
  keys: readonly PublicKey[],
): Promise<string | undefined> {
  const read = parseSignature(signature);
  if (read === undefined) return undefined;
  const payload = Buffer.from(bytes).toString('base64url');
  for (const { id, algorithm, key } of keys) {
    try {
      const { protectedHeader } = await flattenedVerify({ ...read, payload }, key, { algorithms: [algorithm] });
      if (protectedHeader?.typ === TYPE) return id;
    } catch {
      // Another key may have signed it.
    }
  }
  return undefined;
}

function parseSignature(text: string): { readonly protected: string; readonly signature: string } | undefined {
  try {
    const { protected: header, signature } = JSON.parse(text) as { readonly [field: string]: unknown };
    return typeof header === 'string' && typeof signature === 'string' ? { protected: header, signature } : undefined;
  } catch {
    return undefined;
  }
}
