import { readFileSync } from 'node:fs';
import type { BundleTls } from '../config/bundle-config.js';
import { ConfigError } from '../config/config-error.js';
import type { TlsTexts } from '../outgoing/http-client.js';
import { explainReadError } from '../read-error.js';

/** Reads the certificates and the key of a configuration. Throws a ConfigError for a file that cannot be read. */
export function readTlsFiles({ ca, cert, key }: BundleTls): TlsTexts {
  return {
    ca: ca === undefined ? undefined : readPem(ca, 'bundle.tls.ca'),
    cert: cert === undefined ? undefined : readPem(cert, 'bundle.tls.cert'),
    key: key === undefined ? undefined : readPem(key, 'bundle.tls.key'),
  };
}

function readPem(file: string, key: string): Buffer {
  try {
    return readFileSync(file);
  } catch (error) {
    throw new ConfigError(`\`${key}\` cannot be read: ${explainReadError(error)}`, file);
  }
}
