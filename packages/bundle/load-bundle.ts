import type { Explainer } from '../../runtime/engine/parts.js';
import type { EngineOptions, EnginePart } from '../../runtime/engine/index.js';
import type { PolicyBundle, TracedBundle } from '../../runtime/policy/index.js';
import { readArchive } from './archive.js';
import { ArchiveError, type Refusal } from './archive-error.js';
import { requireEngine } from './engine.js';
import { evaluateModule } from './evaluate-module.js';
import { type PublicKey, readPublicKeys } from './keys.js';
import type { Manifest } from './manifest.js';
import { type Accepted, requireTime, type Verified, verifyArchive } from './trust.js';

export { type Accepted, ArchiveError, type Manifest, type Refusal };

/** Which archives a program accepts. */
export interface BundleTrust {
  /** Texts of public keys: PEM, a JSON Web Key, or a JWK set. Ed25519, P-256 and P-384. */
  readonly keys: string | readonly string[];
  /** How many of the keys must have signed; 1 by default. */
  readonly required?: number;
  /** A signature does not count when it is older, in milliseconds. Absent: signatures do not age. */
  readonly maxAge?: number;
  /** Whether an archive must have a sequence. */
  readonly requireSequence?: boolean;
  /** The archive with the highest sequence that the program has accepted: older ones are refused. */
  readonly accepted?: Accepted;
}

/** How an archive is loaded. */
export interface LoadOptions {
  /** Absent: signatures are not verified. */
  readonly trust?: BundleTrust;
  /** How far clocks may differ, in milliseconds; a minute by default. */
  readonly clockSkew?: number;
  /** The name of the code in stack traces. */
  readonly name?: string;
}

/** A bundle that was loaded. */
export interface LoadedBundle {
  /** What `createEngine` takes. */
  readonly policies: PolicyBundle;
  /** Loads what strict evaluation needs; undefined if the bundle was compiled for checks only. */
  readonly traced: (() => Promise<TracedBundle>) | undefined;
  /** Creates an engine that explains its decisions; undefined if the bundle was not compiled for that. */
  readonly explainer: ((options: EngineOptions) => Promise<Explainer>) | undefined;
  /** Loads the part of an engine for `planSubjects`; undefined if the bundle was not compiled to explain. */
  readonly subjects: (() => Promise<EnginePart>) | undefined;
  readonly manifest: Manifest;
  /** SHA-256 of the manifest, hexadecimal. */
  readonly digest: string;
  /** The ids of the trusted keys that signed the archive; empty without `trust`. */
  readonly keys: readonly string[];
}

/** The default of `clockSkew`, in milliseconds. */
const CLOCK_SKEW = 60_000;

/**
 * Verifies an archive that `authzc bundle` wrote, then evaluates its bundle. Rejects with an ArchiveError, whose `reason`
 * is a code, before any of its code runs; with an Error if the keys cannot be used or the code cannot be evaluated.
 *
 * @example
 * import { readFile } from 'node:fs/promises';
 * import { loadBundle } from 'authz/bundle';
 * import { createEngine } from 'authz/runtime';
 *
 * // The engine for the policies of a signed archive, and the revision that they were built from.
 * async function openArchive(path: string, publicKey: string) {
 *   const { policies, manifest } = await loadBundle(await readFile(path), { trust: { keys: publicKey } });
 *   return { engine: createEngine(policies), revision: manifest.source?.revision };
 * }
 * await openArchive('policies.authzbundle', '').catch(({ code }) => console.log(code)); // => ENOENT
 */
export async function loadBundle(bytes: Uint8Array, options: LoadOptions = {}): Promise<LoadedBundle> {
  const archive = readArchive(bytes);
  const { manifest, digest } = archive;
  const { keys } = await verified(archive, options);
  requireEngine(manifest);
  const text = archive.file('policies.js')?.toString('utf8') ?? '';
  // It must be the file of the manifest, too.
  archive.file('policies.js.map');
  const { policies, traced, explainer, subjects } = await evaluateModule(text, options.name ?? 'policies.js');
  if ((policies as PolicyBundle | undefined)?.hash !== manifest.hash)
    throw new Error('the archive does not contain the bundle of its manifest: the hash of the policies differs');
  return {
    policies: policies as PolicyBundle,
    traced: traced as LoadedBundle['traced'],
    explainer: explainer as LoadedBundle['explainer'],
    subjects: subjects as LoadedBundle['subjects'],
    manifest,
    digest,
    keys,
  };
}

async function verified(
  archive: ReturnType<typeof readArchive>,
  { trust, clockSkew = CLOCK_SKEW }: LoadOptions,
): Promise<Pick<Verified, 'keys'>> {
  const now = Date.now();
  if (trust === undefined) {
    requireTime(archive.manifest, now, clockSkew);
    return { keys: [] };
  }
  const { required = 1, maxAge, requireSequence, accepted } = trust;
  const keys = await readTrustedKeys(trust);
  const distinct = new Set(keys.map(({ id }) => id)).size;
  if (!(required >= 1 && required <= distinct))
    throw new Error(`\`required\` must be from 1 to the number of keys, ${distinct}`);
  return verifyArchive(archive, { keys: () => keys, required, maxAge, requireSequence, clockSkew }, now, accepted);
}

async function readTrustedKeys({ keys }: BundleTrust): Promise<readonly PublicKey[]> {
  const lists = await Promise.all([keys].flat().map(readPublicKeys));
  return lists.flat();
}
