import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { type PublicKey, readPublicKeys, readSigningKey, type SigningKey } from '../../../packages/bundle/index.js';

/** A key pair in the forms that tests need. */
export interface TestKey {
  readonly signing: SigningKey;
  readonly public: PublicKey;
  readonly publicPem: string;
  readonly privatePem: string;
  readonly privateKey: KeyObject;
}

/** A new key pair. */
export async function newKey(type: 'ed25519' | 'P-256' | 'P-384' = 'ed25519'): Promise<TestKey> {
  const { privateKey, publicKey } =
    type === 'ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: type });
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  const privatePem = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
  const [key] = await readPublicKeys(publicPem);
  return { signing: await readSigningKey(privatePem), public: key as PublicKey, publicPem, privatePem, privateKey };
}
