import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Accepted,
  type Archive,
  ArchiveError,
  type PublicKey,
  readPublicKeys,
  type Verified,
  verifyArchive,
} from '../../packages/bundle/index.js';
import type { TrustConfig } from '../config/bundle-config.js';
import { ConfigError } from '../config/config-error.js';
import type { Provenance } from '../service/bundle.js';
import type { BundleTrust } from './read-bundle.js';
import { writeAtomically } from './write-atomically.js';
import { explainReadError } from '../read-error.js';

/** The name of the file in the cache folder that remembers the highest sequence. */
const MEMORY = 'accepted.json';

/**
 * Trusts archives that configured keys have signed, and none that is older than one that was accepted before. The keys
 * are read from their files for each archive, so a new key counts from the next one on.
 */
export class SignedBundles implements BundleTrust {
  /** The highest that this process has accepted: it counts even if the disk does not keep it. */
  #accepted: Accepted | undefined;

  private constructor(
    private readonly trust: TrustConfig,
    private readonly cache: string | undefined,
  ) {}

  /** Rejects with a ConfigError for keys that cannot be read, too few of them, or a cache folder that cannot be created. */
  static async open(trust: TrustConfig, cache: string | undefined): Promise<SignedBundles> {
    if (cache !== undefined) {
      await mkdir(cache, { recursive: true }).catch((error: NodeJS.ErrnoException) => {
        throw new ConfigError(`cannot be created: ${error.code ?? error.message}`, 'bundle.cache');
      });
    }
    const signed = new SignedBundles(trust, cache);
    try {
      await signed.#keys();
    } catch (error) {
      throw new ConfigError((error as Error).message, 'bundle.trust.keys');
    }
    return signed;
  }

  /** The files with the keys: a bundle that is refused may be accepted when they change. */
  get keyFiles(): readonly string[] {
    return this.trust.keys;
  }

  async verify(archive: Archive): Promise<Verified> {
    const keys = await this.#keys();
    const { required, maxAge, requireSequence, clockSkew } = this.trust;
    const trust = { keys: () => keys, required, maxAge, requireSequence, clockSkew };
    return verifyArchive(archive, trust, Date.now(), await this.#highest());
  }

  async accepted({ manifest, digest }: Provenance): Promise<void> {
    const sequence = manifest?.sequence;
    if (sequence === undefined) return;
    const stored = await this.#stored().catch(() => this.#accepted);
    const highest = higher(stored, higher(this.#accepted, { sequence, digest }));
    this.#accepted = highest;
    // Of two servers that write at the same time, the one with the lower sequence may be the last.
    if (this.cache !== undefined && highest !== undefined && highest.sequence > (stored?.sequence ?? -1))
      await writeAtomically(join(this.cache, MEMORY), Buffer.from(`${JSON.stringify(highest)}\n`));
  }

  /** Rejects with an ArchiveError. */
  async #keys(): Promise<readonly PublicKey[]> {
    const lists = await Promise.all(this.trust.keys.map(keysIn));
    // A key under two names is one key.
    const keys = new Map<string, PublicKey>();
    for (const key of lists.flat()) {
      const names = new Set([...(keys.get(key.id)?.names ?? []), ...key.names]);
      keys.set(key.id, { ...key, names: [...names] });
    }
    if (keys.size < this.trust.required) {
      throw new ArchiveError(
        'keys_invalid',
        `there are ${keys.size} keys, and \`bundle.trust.required\` is ${this.trust.required}`,
      );
    }
    return [...keys.values()];
  }

  /** What this process and those that used the folder before have accepted. Rejects with an ArchiveError. */
  async #highest(): Promise<Accepted | undefined> {
    return higher(await this.#stored(), this.#accepted);
  }

  /** Rejects with an ArchiveError. */
  async #stored(): Promise<Accepted | undefined> {
    return this.cache === undefined ? undefined : acceptedIn(join(this.cache, MEMORY));
  }
}

/** The one with the higher sequence; the second of equal ones. */
function higher(one: Accepted | undefined, other: Accepted | undefined): Accepted | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return one.sequence > other.sequence ? one : other;
}

async function keysIn(file: string): Promise<readonly PublicKey[]> {
  try {
    return await readPublicKeys(await readFile(file, 'utf8'));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const problem =
      typeof code === 'string' && /^E[A-Z]+$/.test(code) ? `cannot be read: ${explainReadError(error)}` : message;
    throw new ArchiveError('keys_invalid', `the key file \`${file}\` ${problem}`);
  }
}

async function acceptedIn(file: string): Promise<Accepted | undefined> {
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw new ArchiveError('memory_invalid', `\`${file}\` cannot be read: ${explainReadError(error)}`);
  });
  if (text === undefined) return undefined;
  try {
    const { sequence, digest } = JSON.parse(text) as Accepted;
    if (Number.isSafeInteger(sequence) && typeof digest === 'string') return { sequence, digest };
  } catch {
    // Said below.
  }
  throw new ArchiveError(
    'memory_invalid',
    `\`${file}\` is damaged; delete it only if you know that the bundle is not older than the last one`,
  );
}
