import { readFile } from 'node:fs/promises';
import { type SASLCustomAuthenticator, type SASLOptions, saslScramSha } from '@platformatic/kafka';
import type { KafkaSasl } from '../../config/audit-config.js';
import { explainReadError } from '../../read-error.js';

/** How the client of the brokers authenticates. A file with the password is read for each connection. */
export function toSaslOptions({ mechanism, username, password }: KafkaSasl): SASLOptions {
  return {
    mechanism,
    username,
    password: 'value' in password ? password.value : () => readPassword(password.file),
    ...(mechanism !== 'PLAIN' && { authenticate: scram }),
  };
}

async function readPassword(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new Error(`the password of the audit brokers in \`${file}\` cannot be read: ${explainReadError(error)}`);
  });
  return text.trim();
}

type Connection = Parameters<SASLCustomAuthenticator>[1];
type Then = (error: Error | null, response: never) => void;

/**
 * SCRAM of the package, which throws in the middle of a socket's event at an answer that it cannot read: here, that fails
 * the connection and not the process.
 */
const scram: SASLCustomAuthenticator = (mechanism, connection, api, username = '', password = '', _token, callback) => {
  let isDone = false;
  const done: typeof callback = (error, response) => {
    if (isDone) return;
    isDone = true;
    callback(error as Error, response as never);
  };
  const guarded = ((on: Connection, bytes: Buffer, then: Then) =>
    api(on, bytes, (error, response) => {
      try {
        then(error, response as never);
      } catch (problem) {
        done(problem as Error, undefined as never);
      }
    })) as unknown as typeof api;
  const algorithm = mechanism === 'SCRAM-SHA-256' ? 'SHA-256' : 'SHA-512';
  saslScramSha.authenticate(guarded, connection, algorithm, username, password, saslScramSha.defaultCrypto, done);
};
