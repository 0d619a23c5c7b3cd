import type { ReadSet } from '../policy/index.js';
import { sha256, utf16 } from './sha256.js';

const DIGITS = 12;

const known = new WeakMap<ReadSet, string>();
/** The digests of lists of one. */
const knownAlone = new WeakMap<ReadSet, string>();

/**
 * The first digits of the SHA-256 of what read sets keep of a request, in hexadecimal: those of its principal and its
 * actors, in order.
 */
export function readSetsDigest(sets: readonly ReadSet[]): string {
  const [only, ...others] = sets;
  if (only === undefined || others.length > 0) return digestText(sets.map(readSetDigest).join(' '));
  const digest = knownAlone.get(only) ?? digestText(readSetDigest(only));
  knownAlone.set(only, digest);
  return digest;
}

function readSetDigest(set: ReadSet): string {
  const digest = known.get(set) ?? digestText(JSON.stringify(set.paths.map(({ path, leaf }) => [path, leaf])));
  known.set(set, digest);
  return digest;
}

function digestText(text: string): string {
  return sha256(utf16(text)).slice(0, DIGITS);
}
