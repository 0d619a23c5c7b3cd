import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { type Credentials, PodCredentials } from './pod-credentials.js';
import { explainReadError } from '../read-error.js';

/** Where credentials come from: a file, the environment, or else the pod. */
export interface CredentialSource {
  /**
   * An AWS shared credentials file. Undefined: `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` if both are set;
   * otherwise the file that `AWS_SHARED_CREDENTIALS_FILE` names, the credentials of the pod, or `~/.aws/credentials`.
   */
  readonly file: string | undefined;
  /** Section of the file; undefined: `AWS_PROFILE`, or `default`. */
  readonly profile: string | undefined;
}

/** Reads credentials as they are now. Rejects with an error that says what is missing, and never what is there. */
export async function readCredentials(
  { file, profile }: CredentialSource,
  environment: { readonly [name: string]: string | undefined } = process.env,
  pod = new PodCredentials(environment),
): Promise<Credentials> {
  const keys = {
    id: environment['AWS_ACCESS_KEY_ID'],
    secret: environment['AWS_SECRET_ACCESS_KEY'],
    token: environment['AWS_SESSION_TOKEN'],
  };
  if (file === undefined && isSet(keys.id) && isSet(keys.secret))
    return makeCredentials(keys.id, keys.secret, keys.token);
  const isNamed = [file, profile, environment['AWS_SHARED_CREDENTIALS_FILE'], environment['AWS_PROFILE']].some(isSet);
  if (!isNamed && pod.isConfigured) return pod.read();
  const path = file ?? environment['AWS_SHARED_CREDENTIALS_FILE'] ?? join(homedir(), '.aws', 'credentials');
  const name = profile ?? environment['AWS_PROFILE'] ?? 'default';
  const section = readSection(await readText(path), name);
  const id = section.get('aws_access_key_id');
  const secret = section.get('aws_secret_access_key');
  if (!isSet(id) || !isSet(secret))
    throw new Error(`the credentials file \`${path}\` has no access key in the profile \`${name}\``);
  return makeCredentials(id, secret, section.get('aws_session_token'));
}

function makeCredentials(accessKeyId: string, secretAccessKey: string, token: string | undefined): Credentials {
  return { accessKeyId, secretAccessKey, ...(isSet(token) ? { sessionToken: token } : {}) };
}

function isSet(value: string | undefined): value is string {
  return value !== undefined && value !== '';
}

async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new Error(
      `no credentials: the file \`${path}\` cannot be read: ${explainReadError(error)}; ` +
        'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a shared credentials file',
    );
  }
}

/** The settings of a section; a line is `name = value`, and one that begins with `#` or `;` is a comment. */
function readSection(text: string, name: string): ReadonlyMap<string, string> {
  const settings = new Map<string, string>();
  let isInside = false;
  for (const line of text.split(/\r?\n/).map((written) => written.trim())) {
    if (line.startsWith('#') || line.startsWith(';')) continue;
    if (line.startsWith('[') && line.endsWith(']')) {
      isInside = line.slice(1, -1).trim() === name;
      continue;
    }
    const equals = line.indexOf('=');
    if (isInside && equals > 0) settings.set(line.slice(0, equals).trim(), line.slice(equals + 1).trim());
  }
  return settings;
}
