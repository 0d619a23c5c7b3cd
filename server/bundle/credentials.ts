import { readFile } from 'node:fs/promises';
import type { BundleCredentials, Secret } from '../config/bundle-config.js';
import { type BasicCredentials, basicAuthorization } from '../outgoing/basic-credentials.js';
import { OriginError } from './origin.js';
import { explainReadError } from '../read-error.js';

/** The header that authenticates a request: bearer, or basic. Undefined without credentials. */
export async function makeAuthorization(
  credentials: BundleCredentials,
): Promise<{ readonly authorization: string } | undefined> {
  if (credentials.token !== undefined) return { authorization: `Bearer ${await readSecret(credentials.token)}` };
  const basic = await readBasic(credentials);
  return basic === undefined ? undefined : { authorization: basicAuthorization(basic) };
}

/** Undefined without a user name. */
export async function readBasic({ username, password }: BundleCredentials): Promise<BasicCredentials | undefined> {
  if (username === undefined) return undefined;
  return { username, password: password === undefined ? '' : await readSecret(password) };
}

/**
 * A secret, now: files are rotated. Rejects with an OriginError that names the file, also for one that cannot be a
 * header.
 */
export async function readSecret(secret: Secret): Promise<string> {
  if ('value' in secret) return secret.value;
  const text = await readFile(secret.file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new OriginError(
      'credentials',
      `the credentials in \`${secret.file}\` cannot be read: ${explainReadError(error)}`,
    );
  });
  const value = text.trim();
  if (/^[\x20-\x7e]+$/.test(value)) return value;
  throw new OriginError('credentials', `\`${secret.file}\` must contain one line of printable ASCII characters`);
}
