import * as v from 'valibot';
import type { Type } from './schema-type.js';
import { anything } from './value-types.js';

/** A block of keys. Its schema has the keys that the server reads; the others are beside it. */
export type Section<E extends v.ObjectEntries = v.ObjectEntries> = v.ObjectSchema<E, undefined> & {
  /** Keys that only files of other servers have; `*` covers every key that is not named. */
  readonly foreign: { readonly [name: string]: ForeignKey };
};

/** A key of files of other servers. */
export type ForeignKey = QuietKey | UnusedKey;

/** A key that is accepted silently: it only says how something works that another key refuses. */
interface QuietKey {
  readonly kind: 'quiet';
}

/**
 * A key that is accepted with a warning, because it has no effect and opens nothing, or that is refused, because
 * ignoring it would be unsafe or misleading.
 */
interface UnusedKey {
  readonly kind: 'ignored' | 'refused';
  readonly type: Type;
  readonly why: string;
  /** Whether a value needs no warning, and is not refused. */
  readonly harmless: (value: unknown) => boolean;
}

/** A key that the server reads. */
export interface UsedKey {
  readonly kind: 'used';
  readonly type: Type;
  /** The default as a file would say it; undefined if there is none. */
  readonly default: unknown;
  /** Meaning for the documentation: half a sentence. */
  readonly meaning: string;
}

export function section<const E extends v.ObjectEntries>(
  keys: E,
  foreign: { readonly [name: string]: ForeignKey } = {},
): Section<E> {
  return Object.assign(v.object(keys), { foreign });
}

/**
 * A key that the server reads. `preset` is its default, as a file would say it; `meaning` is half a sentence for the
 * documentation.
 */
export function key<T extends Type>(type: T, preset: NonNullable<unknown>, meaning: string) {
  // Integers of files are bigints.
  const written = typeof preset === 'number' && Number.isInteger(preset) ? BigInt(preset) : preset;
  return v.pipe(v.optional(type, written), v.description(meaning));
}

/** A key that the server reads, without a default. */
export function optionalKey<T extends Type>(type: T, meaning: string) {
  return v.pipe(v.undefinedable(type), v.description(meaning));
}

export function ignored(why: string, type: Type = anything, harmless = isFalse): ForeignKey {
  return { kind: 'ignored', type, why, harmless };
}

export function refused(why: string, type: Type, harmless: (value: unknown) => boolean): ForeignKey {
  return { kind: 'refused', type, why, harmless };
}

export const quiet: ForeignKey = { kind: 'quiet' };

function isFalse(value: unknown): boolean {
  return value === false;
}

export function isSection(entry: v.GenericSchema): entry is Section {
  return 'foreign' in entry;
}

/** What a section reads if nothing is set. */
export function blank({ entries }: Section): { [name: string]: unknown } {
  return Object.fromEntries(
    Object.entries(entries).map(([name, entry]: [string, v.GenericSchema]) => [
      name,
      isSection(entry) ? blank(entry) : undefined,
    ]),
  );
}

/** The used key that `key` or `optionalKey` made. */
export function usedKey(entry: v.GenericSchema): UsedKey {
  const { wrapped, default: preset } = entry as v.OptionalSchema<Type, unknown>;
  const written = typeof preset === 'bigint' ? Number(preset) : preset;
  return { kind: 'used', type: wrapped, default: written, meaning: v.getDescription(entry) ?? '' };
}
