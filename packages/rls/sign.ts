/** A key of a database whose sessions are signed (`principal: signed`). */
export interface SessionKey {
  /** Its name in the database, as in `authz_keys.add('k1', …)`. */
  readonly kid: string;
  /** The key, at least 32 bytes. */
  readonly secret: Uint8Array;
  /** The name of the database: a value that was signed for another one is nobody's. */
  readonly database: string;
  /** Seconds until the value expires; 60 by default, 3,600 at most. A transaction that takes longer sees nothing then. */
  readonly seconds?: number;
}

/**
 * A session value with a signature: `k1.<base64>.<hex>`, HMAC-SHA256 over the text before it.
 *
 * @throws {TypeError} for a key that the database would refuse.
 */
export async function signedValue(
  value: string,
  { kid, secret, database, seconds = 60 }: SessionKey,
  now: number,
): Promise<string> {
  if (!/^[a-z0-9]{1,16}$/.test(kid)) throw new TypeError('sign.kid: not up to 16 small letters and digits');
  if (!(secret instanceof Uint8Array) || secret.length < 32) throw new TypeError('sign.secret: fewer than 32 bytes');
  if (!(seconds > 0 && seconds <= 3_600)) throw new TypeError('sign.seconds: not between 0 and 3,600');
  const claims = { ...(JSON.parse(value) as object), aud: database, exp: Math.floor(now / 1_000) + seconds };
  const bytes = new TextEncoder().encode(JSON.stringify(claims));
  const text = `${kid}.${base64(bytes)}`;
  const algorithm = { name: 'HMAC', hash: 'SHA-256' };
  const key = await crypto.subtle.importKey('raw', new Uint8Array(secret), algorithm, false, ['sign']);
  const signature = await crypto.subtle.sign('HMAC', key, new TextEncoder().encode(text));
  return `${text}.${[...new Uint8Array(signature)].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}

/**
 * What a value says of its principal, without a signature and what changes with time; undefined for a value that is not
 * one of `authz/rls`.
 */
export function claimsOf(value: string): string | undefined {
  try {
    const json = value.startsWith('{') ? value : decoded(value.split('.')[1] ?? '');
    const { aud: _, exp: __, computed: ___, ...own } = JSON.parse(json) as Record<string, unknown>;
    return JSON.stringify(own);
  } catch {
    return undefined;
  }
}

function decoded(claims: string): string {
  return new TextDecoder().decode(Uint8Array.from(atob(claims), (letter) => letter.charCodeAt(0)));
}

function base64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}
