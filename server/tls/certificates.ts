import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../config/config-error.js';
import type { TlsConfig } from '../config.js';
import { explainReadError } from '../read-error.js';

/** What the files of `server.tls` hold, checked: it can be served with. */
export interface Certificates {
  readonly cert: Buffer;
  readonly key: Buffer;
  /** Undefined: clients are not asked for certificates. */
  readonly ca: Buffer | undefined;
  /** The certificate of the server itself, the first in `cert`. */
  readonly leaf: X509Certificate;
}

/**
 * Reads the files. Throws a ConfigError that names the key and the file of what cannot be served with
 * (docs/spec/server.md#start-failures): plaintext instead would be worse.
 */
export function readCertificates(config: TlsConfig): Certificates {
  const cert = read('server.tls.cert', config.cert);
  const key = read('server.tls.key', config.key);
  const ca = config.caCert === undefined ? undefined : read('server.tls.caCert', config.caCert);
  const leaf = parseCertificate(cert, 'server.tls.cert', config.cert);
  if (!leaf.checkPrivateKey(parsePrivateKey(key, config.key)))
    throw new ConfigError(
      `the key in \`${config.key}\` does not match the certificate in \`${config.cert}\``,
      'server.tls.key',
    );
  if (ca !== undefined) parseCertificate(ca, 'server.tls.caCert', config.caCert as string);
  tryContext({ cert, key, ca }, config);
  return { cert, key, ca, leaf };
}

function read(key: string, path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw new ConfigError(`\`${path}\` cannot be read: ${explainReadError(error)}`, key);
  }
}

/** The first certificate of a chain. */
function parseCertificate(pem: Buffer, key: string, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new ConfigError(`\`${path}\` contains no certificate (PEM)`, key);
  }
}

function parsePrivateKey(pem: Buffer, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new ConfigError(`\`${path}\` contains no unencrypted private key (PEM)`, 'server.tls.key');
  }
}

/** What only the library finds: a chain that is cut off, a key that is too short for it. */
function tryContext(certificates: Omit<Certificates, 'leaf'>, config: TlsConfig): void {
  try {
    createSecureContext({ ...certificates, minVersion: 'TLSv1.2' });
  } catch (error) {
    throw new ConfigError(
      `\`${config.cert}\` and \`${config.key}\` cannot be used: ${(error as Error).message}`,
      'server.tls.cert',
    );
  }
}
