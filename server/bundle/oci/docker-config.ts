import { readFile } from 'node:fs/promises';
import { OriginError } from '../origin.js';
import { type RegistryCredentials, readObject } from './registry.js';
import { explainReadError } from '../../read-error.js';

/**
 * The credentials of a registry in a `config.json` of docker: `auths`, with `auth`, or `username` and `password`, or
 * `identitytoken`. Credential helpers are programs, and are not run. Undefined if the file has none for this host.
 * Rejects with an OriginError.
 */
export async function dockerCredentials(file: string, host: string): Promise<RegistryCredentials | undefined> {
  const text = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new OriginError('credentials', `the credentials in \`${file}\` cannot be read: ${explainReadError(error)}`);
  });
  const { auths } = readObject(text, `\`${file}\``);
  if (typeof auths !== 'object' || auths === null) return undefined;
  const names = [host, `https://${host}`, `https://${host}/v1/`, `https://${host}/v2/`];
  const found = names.find((name) => Object.hasOwn(auths, name));
  return found === undefined
    ? undefined
    : readCredentials((auths as { readonly [name: string]: unknown })[found], file);
}

function readCredentials(entry: unknown, file: string): RegistryCredentials | undefined {
  if (typeof entry !== 'object' || entry === null) return undefined;
  const { auth, username, password, identitytoken } = entry as { readonly [name: string]: unknown };
  if (typeof identitytoken === 'string' && identitytoken !== '') return { kind: 'refresh', token: identitytoken };
  if (typeof username === 'string' && typeof password === 'string') return { kind: 'basic', username, password };
  if (typeof auth !== 'string' || auth === '') return undefined;
  const decoded = Buffer.from(auth, 'base64').toString('utf8');
  const colon = decoded.indexOf(':');
  if (colon < 0) throw new OriginError('credentials', `\`auth\` in \`${file}\` is not base64 of \`user:password\``);
  return { kind: 'basic', username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
}
