import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError } from '../../config/config-error.js';
import type { KafkaTls } from '../../config/audit-config.js';

/**
 * The TLS settings of the connection to the brokers, as the files have them now. A ConfigError for a file that cannot
 * be read.
 */
export function readTls({ caPath, certPath, keyPath, insecureSkipVerify }: KafkaTls): ConnectionOptions {
  return {
    ca: read(caPath, 'caPath'),
    ...(certPath === undefined ? {} : { cert: read(certPath, 'certPath') }),
    ...(keyPath === undefined ? {} : { key: read(keyPath, 'keyPath') }),
    rejectUnauthorized: !insecureSkipVerify,
  };
}

function read(path: string, key: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError((error as Error).message, `audit.kafka.authentication.tls.${key}`);
  }
}
