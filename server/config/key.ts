import { anything, type ValueType } from './value-types.js';

/** What the server makes of a key. */
export type ConfigKey = UsedKey<unknown> | IgnoredKey | RefusedKey | QuietKey;

/** A key that the server reads. */
export interface UsedKey<T> {
  readonly kind: 'used';
  readonly type: ValueType<T>;
  readonly default: T;
  /** For the documentation: half a sentence. */
  readonly meaning: string;
}

/** A key that is accepted with a warning: that it has no effect changes no decision and opens nothing. */
export interface IgnoredKey {
  readonly kind: 'ignored';
  readonly type: ValueType<unknown>;
  readonly why: string;
  /** A value that needs no warning. */
  readonly harmless: (value: unknown) => boolean;
}

/** A key that must not be set: ignoring it would be unsafe or misleading. */
export interface RefusedKey {
  readonly kind: 'refused';
  readonly type: ValueType<unknown>;
  readonly why: string;
  readonly harmless: (value: unknown) => boolean;
}

/** A key that is accepted without a word: it only says how something works that another key refuses. */
export interface QuietKey {
  readonly kind: 'quiet';
}

export function used<T>(type: ValueType<T>, value: NoInfer<T>, meaning: string): UsedKey<T> {
  return { kind: 'used', type, default: value, meaning };
}

export function ignored(
  type: ValueType<unknown>,
  why: string,
  harmless: (value: unknown) => boolean = isFalse,
): IgnoredKey {
  return { kind: 'ignored', type, why, harmless };
}

export function refused(
  why: string,
  type: ValueType<unknown> = anything,
  harmless: (value: unknown) => boolean = isNothing,
): RefusedKey {
  return { kind: 'refused', type, why, harmless };
}

export function quiet(): QuietKey {
  return { kind: 'quiet' };
}

export function isFalse(value: unknown): boolean {
  return value === false;
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || value === false;
}
