import { createHash, timingSafeEqual } from 'node:crypto';
import { compare } from 'bcryptjs';
import { RpcError } from '../service/rpc-error.js';

/** The one user of the admin API (server.md 9.4). */
export interface AdminCredentials {
  readonly username: string;
  /** In bcrypt's own form, `$2y$10$...`. */
  readonly passwordHash: string;
}

/**
 * Checks the value of an `authorization` header or metadata, undefined when there is none. Rejects with an RpcError (code 16, with the
 * texts of server.md 1.7) unless it is Basic with the user's name and password. How long that takes does not tell which of the two is wrong.
 */
export async function verifyCredentials(header: string | undefined, { username, passwordHash }: AdminCredentials): Promise<void> {
  const given = credentialsOf(header);
  const isUser = isSame(given.username, username);
  const isPassword = await compare(given.password, passwordHash);
  if (!isUser || !isPassword) throw refused('incorrect credentials');
}

interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** A password may hold colons, a name may not. */
function credentialsOf(header: string | undefined): Credentials {
  if (header === undefined || header === '') throw refused('authentication required');
  const [, scheme = '', encoded = ''] = /^(\S+) *(.*)$/s.exec(header) ?? [];
  if (scheme.toLowerCase() !== 'basic') throw refused('unsupported authentication method');
  if (!BASE64.test(encoded)) throw refused('failed to decode credentials');
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) throw refused('invalid credentials');
  return { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}

const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Compares digests, which have one length whatever was given. */
function isSame(a: string, b: string): boolean {
  return timingSafeEqual(digestOf(a), digestOf(b));
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function refused(message: string): RpcError {
  return new RpcError('unauthenticated', message);
}
