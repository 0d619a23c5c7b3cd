import { generateKeyPairSync } from 'node:crypto';
import {
  engineRange,
  engineVersion,
  type PublicKey,
  readPublicKeys,
  readSigningKey,
  type SigningKey,
  signArchive,
  verifyArchive,
  writeArchive,
} from '../../../packages/bundle/index.js';
import type { BundleTrust } from '../../../server/bundle/read-bundle.js';

/** A key that signs archives, and what verifies them. */
export interface TestKey {
  readonly signing: SigningKey;
  readonly publicKeys: readonly PublicKey[];
  /** Of the public key. */
  readonly pem: string;
}

export async function newKey(): Promise<TestKey> {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  return {
    signing: await readSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string),
    publicKeys: await readPublicKeys(pem),
    pem,
  };
}

/** An archive of a bundle, signed by keys. */
export async function archiveOf(js: string, ...keys: readonly TestKey[]): Promise<Uint8Array> {
  let bytes: Uint8Array = writeArchive({
    manifest: { hash: 'hash', compiler: engineVersion, engine: engineRange },
    js,
  });
  for (const { signing } of keys) bytes = await signArchive(bytes, signing, Date.now());
  return bytes;
}

/** Requires the signatures of all of these keys. */
export function trustIn(...keys: readonly TestKey[]): BundleTrust {
  const all = keys.flatMap(({ publicKeys }) => publicKeys);
  const trust = { keys: () => all, required: all.length, clockSkew: 0 };
  return { verify: (archive) => verifyArchive(archive, trust, Date.now()), accepted: async () => undefined };
}
