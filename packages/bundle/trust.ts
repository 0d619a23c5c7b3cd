import type { Archive } from './archive.js';
import { ArchiveError } from './archive-error.js';
import type { PublicKey } from './keys.js';
import type { Manifest } from './manifest.js';
import { type VerifiedSignature, verifySignatures } from './signatures.js';

/** Which archives may run. */
export interface Trust {
  /** The trusted keys now; they may change when keys are rotated. */
  readonly keys: () => readonly PublicKey[];
  /** How many of these keys must have signed. */
  readonly required: number;
  /** A signature does not count when it is older, in milliseconds. Absent: signatures do not age. */
  readonly maxAge?: number | undefined;
  /** Whether an archive must have a sequence. */
  readonly requireSequence?: boolean | undefined;
  /** How far clocks may differ, in milliseconds. */
  readonly clockSkew: number;
}

/** The archive with the highest sequence that was accepted. */
export interface Accepted {
  readonly sequence: number;
  readonly digest: string;
}

/** What is known of an archive that may run. */
export interface Verified {
  /** The ids of the trusted keys that signed it, sorted. */
  readonly keys: readonly string[];
  /** When it may no longer be loaded, in milliseconds since 1970, apart from clock skew; undefined if it does not expire. */
  readonly expires: number | undefined;
  /** When the newest signature was made, in milliseconds since 1970; undefined if none says. */
  readonly signedAt: number | undefined;
}

/**
 * Verifies the signatures of an archive, its freshness and its sequence. Its files are not read. Rejects with an
 * ArchiveError if it must not run.
 *
 * @param now in milliseconds since 1970.
 * @param accepted the archive with the highest sequence that was accepted before.
 */
export async function verifyArchive(
  archive: Archive,
  trust: Trust,
  now: number,
  accepted?: Accepted,
): Promise<Verified> {
  const { verified, invalid } = await verifySignatures(archive, trust.keys());
  const fresh = verified.filter(({ signedAt }) => isFresh(signedAt, trust, now));
  if (fresh.length < trust.required) throw tooFew(archive, trust, { verified, invalid, fresh: fresh.length });
  requireTime(archive.manifest, now, trust.clockSkew);
  requireSequence(archive, trust, accepted);
  return {
    keys: fresh.map(({ key }) => key).sort(),
    expires: findExpiry(archive.manifest, trust, fresh),
    signedAt: max(fresh.flatMap(({ signedAt }) => signedAt ?? [])),
  };
}

/**
 * Throws an ArchiveError outside of the time that a manifest names.
 *
 * @param now and `clockSkew` in milliseconds.
 */
export function requireTime({ notBefore, notAfter }: Manifest, now: number, clockSkew: number): void {
  if (notAfter !== undefined && now - clockSkew > Date.parse(notAfter))
    throw new ArchiveError('expired', `expired at ${notAfter}; build and sign it again`);
  if (notBefore !== undefined && now + clockSkew < Date.parse(notBefore))
    throw new ArchiveError('not_yet_valid', `is not valid before ${notBefore}`);
}

/** A signature of the future does not count either: it would age later than it should. */
function isFresh(signedAt: number | undefined, { maxAge, clockSkew }: Trust, now: number): boolean {
  if (maxAge === undefined) return true;
  return signedAt !== undefined && signedAt <= now + clockSkew && now - clockSkew <= signedAt + maxAge;
}

function tooFew(
  { signatureBytes }: Archive,
  { required, keys }: Trust,
  found: {
    readonly verified: readonly VerifiedSignature[];
    readonly invalid: readonly string[];
    readonly fresh: number;
  },
): ArchiveError {
  if (signatureBytes === undefined)
    return new ArchiveError('unsigned', 'is not signed; sign it with `authzc bundle sign`');
  const counted = `${found.fresh} of ${required} required signatures by ${keys().length} trusted keys`;
  if (found.verified.length > found.fresh)
    return new ArchiveError('signature_expired', `has ${counted}: others are too old, or of the future`);
  if (found.invalid.length > 0)
    return new ArchiveError('signature_invalid', `has ${counted}: that of ${found.invalid.join(', ')} does not fit`);
  return new ArchiveError('untrusted', `has ${counted}`);
}

function requireSequence({ manifest, digest }: Archive, trust: Trust, accepted: Accepted | undefined): void {
  const { sequence } = manifest;
  if (sequence === undefined) {
    if (trust.requireSequence !== true && accepted === undefined) return;
    throw new ArchiveError('sequence_missing', 'has no sequence; build it with `authzc bundle --sequence`');
  }
  if (accepted === undefined) return;
  if (sequence < accepted.sequence) {
    throw new ArchiveError(
      'replayed',
      `has the sequence ${sequence}, and ${accepted.sequence} was accepted before; to go back, build the older policies with a higher sequence`,
    );
  }
  if (sequence === accepted.sequence && digest !== accepted.digest)
    throw new ArchiveError(
      'sequence_conflict',
      `has the sequence ${sequence} of another bundle that was accepted before`,
    );
}

/** When there are too few signatures, or the manifest expires, whichever is earlier. */
function findExpiry(
  { notAfter }: Manifest,
  { required, maxAge }: Trust,
  signatures: readonly VerifiedSignature[],
): number | undefined {
  const ends = notAfter === undefined ? [] : [Date.parse(notAfter)];
  if (maxAge !== undefined) {
    const ages = signatures.map(({ signedAt = 0 }) => signedAt + maxAge).sort((one, other) => other - one);
    ends.push(ages[required - 1] as number);
  }
  return ends.length === 0 ? undefined : Math.min(...ends);
}

function max(numbers: readonly number[]): number | undefined {
  return numbers.length === 0 ? undefined : Math.max(...numbers);
}
