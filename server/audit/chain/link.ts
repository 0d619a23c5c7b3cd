import { hash } from 'node:crypto';
import type { ChainLink } from '../../../proto/gen/audit-messages.js';
import { canonicalJson } from './canonical-json.js';

/** Where an entry stands in a chain. */
export interface ChainPlace {
  readonly id: string;
  /** Number from 1 on, without gaps. */
  readonly sequence: number;
  /** The hash of the entry before; empty in the first entry. */
  readonly previous: string;
}

/**
 * What a hash and a signature are made of: the place of an entry and the digest of its content, which is its canonical
 * JSON without the member `chain`. The members are in canonical order.
 */
export function linkText({ id, sequence, previous }: ChainPlace, content: string | Buffer): string {
  const digest = hash('sha256', content, 'hex');
  return `{"content":"${digest}","id":${JSON.stringify(id)},"previous":${JSON.stringify(previous)},"sequence":"${sequence}"}`;
}

/** The hash of an entry. */
export function hashEntry(place: ChainPlace, content: string | Buffer): string {
  return hash('sha256', linkText(place, content), 'hex');
}

/** The JSON of an entry with its link in front. */
export function withLink(place: ChainPlace, hashed: string, content: Buffer): Buffer {
  const { id, sequence, previous } = place;
  const link = { hash: hashed, id, previous, sequence: String(sequence) } satisfies ChainLink;
  return Buffer.concat([Buffer.from(`{"chain":${JSON.stringify(link)},`), content.subarray(1)]);
}

/** The members that the file backend adds to an entry. */
const LINE_MEMBERS = ['log.logger', 'log.kind'] as const;

/** An entry of a chain as it was read. */
export interface LinkedEntry {
  readonly place: ChainPlace;
  /** Hash that the entry states. */
  readonly hash: string;
  /** The members of the entry without its link. */
  readonly entry: { readonly [member: string]: unknown };
  /** The canonical JSON of `entry`. */
  readonly content: string;
}

/**
 * Reads an entry of a chain: a line of a file, or the JSON of an entry. Undefined: it has no link.
 *
 * @throws SyntaxError if it is not JSON.
 */
export function readLinked(text: string): LinkedEntry | undefined {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined;
  const { chain, ...entry } = parsed as { [member: string]: unknown };
  const link = readLink(chain);
  if (link === undefined) return undefined;
  for (const member of LINE_MEMBERS) delete entry[member];
  return { ...link, entry, content: canonicalJson(entry) };
}

function readLink(chain: unknown): Pick<LinkedEntry, 'place' | 'hash'> | undefined {
  if (typeof chain !== 'object' || chain === null) return undefined;
  const { id, sequence, previous, hash: stated } = chain as { readonly [member: string]: unknown };
  if (typeof id !== 'string' || typeof previous !== 'string' || typeof stated !== 'string') return undefined;
  if (typeof sequence !== 'string' || !SEQUENCE.test(sequence)) return undefined;
  return { place: { id, sequence: Number(sequence), previous }, hash: stated };
}

/** Below 2^53. */
const SEQUENCE = /^[1-9]\d{0,14}$/;
