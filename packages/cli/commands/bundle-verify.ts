import { readFileSync } from 'node:fs';
import { type PublicKey, readArchive, readPublicKeys, requireEngine, verifyArchive } from '../../bundle/index.js';
import { visible } from '../../../compiler/diagnostics/visible.js';
import { named, namedError } from '../bundles/archive-file.js';
import type { CommandContext } from '../context.js';
import { EXIT, UsageError } from '../exit.js';

/** The command line options of `authzc bundle verify`. */
export interface BundleVerifyOptions {
  /** Files with public keys. */
  readonly key: readonly string[];
  readonly required: number;
  /** Age in milliseconds. */
  readonly maxAge?: number;
}

/** How far the clock of the machine that signs may differ, in milliseconds: the default of servers. */
const CLOCK_SKEW = 60_000;

/** `authzc bundle verify`: whether a server with these keys would accept an archive. Returns the exit code. */
export async function bundleVerifyCommand(
  file: string,
  { key, required, maxAge }: BundleVerifyOptions,
  { stdout }: CommandContext,
): Promise<number> {
  const keys = await readKeys(key);
  const distinct = new Set(keys.map(({ id }) => id)).size;
  if (distinct < required)
    throw new UsageError(`${required} signatures are required, and there are ${distinct} keys; name more with --key`);
  const archive = named(file, () => readArchive(readFileSync(file)));
  try {
    const trust = { keys: () => keys, required, maxAge, clockSkew: CLOCK_SKEW };
    const { keys: signed, expires } = await verifyArchive(archive, trust, Date.now());
    requireEngine(archive.manifest);
    archive.file('policies.js');
    archive.file('policies.js.map');
    for (const id of signed) stdout.write(`signed by ${id}\n`);
    if (expires !== undefined) stdout.write(`valid until ${new Date(expires).toISOString()}\n`);
  } catch (error) {
    throw namedError(file, error);
  }
  stdout.write(`${visible(file)}  sha256:${archive.digest}\n`);
  return EXIT.done;
}

async function readKeys(files: readonly string[]): Promise<readonly PublicKey[]> {
  const lists = files.map(async (file) => {
    const text = named(file, () => readFileSync(file, 'utf8'));
    return readPublicKeys(text).catch((error: Error) => {
      throw new Error(`\`${visible(file)}\` ${error.message}`);
    });
  });
  return (await Promise.all(lists)).flat();
}
