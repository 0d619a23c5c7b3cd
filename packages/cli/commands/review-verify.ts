import { existsSync, readFileSync } from 'node:fs';
import { readPublicKeys, verifyDocument } from '../../bundle/index.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { named } from '../bundles/archive-file.js';
import type { CommandContext } from '../context.js';
import { EXIT } from '../exit.js';
import { InputError } from '../report.js';

/** `authzc review verify`: whether a page is what a key has signed. Returns the exit code. */
export async function reviewVerifyCommand(
  file: string,
  { key }: { readonly key: readonly string[] },
  context: CommandContext,
): Promise<number> {
  const lists = key.map(async (path) => readPublicKeys(named(path, () => readFileSync(path, 'utf8'))));
  const keys = (await Promise.all(lists)).flat();
  const signature = `${file}.jws`;
  if (!existsSync(signature)) throw new InputError('the page has no signature beside it', undefined, [], signature);
  const bytes = named(file, () => readFileSync(file));
  const signer = await verifyDocument(bytes, readFileSync(signature, 'utf8'), keys);
  if (signer === undefined) throw new Error(`\`${visible(file)}\` is not what one of these keys has signed`);
  context.stdout.write(`${visible(file)}: signed by ${signer}\n`);
  return EXIT.done;
}
