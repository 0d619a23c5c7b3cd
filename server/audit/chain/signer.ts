import { createPrivateKey, createPublicKey, hash, type KeyObject, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ConfigError } from '../../config/config-error.js';

/** Signs entries that a chain makes about itself. */
export interface ChainSigner {
  readonly keyId: string;
  /** Ed25519, in base64. */
  readonly sign: (text: string) => string;
}

/** The signer of a private key in PEM. Throws a ConfigError for a file that holds none of Ed25519. */
export function readSigner(path: string): ChainSigner {
  let key: KeyObject;
  try {
    key = createPrivateKey(readFileSync(path));
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const reason = code?.startsWith('E') === true && !code.startsWith('ERR_') ? code : 'it is not a private key in PEM';
    throw new ConfigError(`\`${path}\` cannot be read: ${reason}`, SIGNING_KEY);
  }
  if (key.asymmetricKeyType !== 'ed25519')
    throw new ConfigError(`the key in \`${path}\` is not an Ed25519 key`, SIGNING_KEY);
  return {
    keyId: identifyKey(createPublicKey(key)),
    sign: (text) => sign(null, Buffer.from(text), key).toString('base64'),
  };
}

const SIGNING_KEY = 'audit.chain.signingKey';

/** What names a public key: SHA-256 of its SubjectPublicKeyInfo, in hexadecimal. */
export function identifyKey(key: KeyObject): string {
  return hash('sha256', key.export({ type: 'spki', format: 'der' }), 'hex');
}
