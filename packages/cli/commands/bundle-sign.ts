import { readFileSync } from 'node:fs';
import { readSigningKey, signArchive } from '../../bundle/index.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { named, namedError } from '../bundles/archive-file.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';
import { replaceFiles } from '../outputs/replace-files.js';

/** The command line options of `authzc bundle sign`. */
export interface BundleSignOptions {
  /** The file of the private key, in PEM. */
  readonly key: string;
  /** The file of the signed archive; by default the same. */
  readonly out?: string;
}

/** `authzc bundle sign`: adds a signature to an archive. Returns the exit code. */
export async function bundleSignCommand(
  file: string,
  { key, out = file }: BundleSignOptions,
  { stdout }: CommandContext,
): Promise<number> {
  const bytes = named(file, () => readFileSync(file));
  const pem = named(key, () => readFileSync(key, 'utf8'));
  const signingKey = await readSigningKey(pem).catch((error: Error) => {
    throw new Error(`\`${visible(key)}\` ${error.message}`);
  });
  const signed = await signArchive(bytes, signingKey, Date.now()).catch((error: unknown) => {
    throw namedError(file, error);
  });
  replaceFiles([{ path: out, text: signed, durable: true }]);
  stdout.write(`${visible(out)}  signed by ${signingKey.id} (${signingKey.algorithm})\n`);
  return EXIT.done;
}
