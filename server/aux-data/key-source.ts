import type { KeySet } from './key-set.js';

/** Where the keys for a token are found. */
export interface KeySource {
  readonly id: string;
  /** The current keys; undefined before the first successful fetch. Never takes longer than a caller can wait. */
  readonly current: () => KeySet | undefined | Promise<KeySet | undefined>;
  /**
   * Looks for newer keys because a token names one that is not there; undefined when it is too early for that, or
   * nothing newer is had.
   */
  readonly newer: () => Promise<KeySet | undefined> | undefined;
  readonly close: () => void;
}

/** Events of keysets. */
export type KeySetEvent =
  /** Tokens for it are refused, for this reason. */
  | { readonly kind: 'unusable'; readonly id: string; readonly reason: string }
  /** It could not be fetched; the last good keys stay, if there are any. */
  | { readonly kind: 'failed'; readonly id: string; readonly reason: string; readonly hasKeys: boolean }
  | { readonly kind: 'fetched'; readonly id: string }
  /** It says less than it should, as its configuration allows. */
  | { readonly kind: 'insecure'; readonly id: string };
