import { generateKeyPairSync, type KeyPairKeyObjectResult } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { readPublicKeys } from '../../bundle/index.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';

/** How a key pair of each type is generated. */
const TYPES: { readonly [type in KeyType]: () => KeyPairKeyObjectResult } = {
  ed25519: () => generateKeyPairSync('ed25519'),
  p256: () => generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  p384: () => generateKeyPairSync('ec', { namedCurve: 'P-384' }),
};

/** The type of a key. */
export type KeyType = 'ed25519' | 'p256' | 'p384';

/** `authzc bundle keygen`: writes a key pair to `NAME.key.pem` and `NAME.pub.pem`. Returns the exit code. */
export async function bundleKeygenCommand(
  name: string,
  { type }: { readonly type: KeyType },
  { stdout }: CommandContext,
): Promise<number> {
  const { privateKey, publicKey } = TYPES[type]();
  const publicPem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  write(`${name}.key.pem`, privateKey.export({ type: 'pkcs8', format: 'pem' }) as string, 0o600);
  write(`${name}.pub.pem`, publicPem, 0o644);
  const [key] = await readPublicKeys(publicPem);
  stdout.write(`${visible(`${name}.key.pem`)}, ${visible(`${name}.pub.pem`)}  key ${key?.id}\n`);
  return EXIT.done;
}

/** A key that exists is never replaced. */
function write(file: string, text: string, mode: number): void {
  try {
    writeFileSync(file, text, { flag: 'wx', mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    throw new Error(`\`${visible(file)}\` exists; choose another name, or remove it`);
  }
}
