import type { Provenance } from './bundle.js';

/** How a candidate is tried: it decides beside, off the path of replies, or for a share of the principals. */
export type RolloutStage = 'shadow' | 'canary';

/** A bundle of a server, without its text, which is large. */
export interface KnownBundle extends Provenance {
  /** The path of the file, or the URL without credentials. */
  readonly name: string;
  /** Hash of its policies. */
  readonly hash: string;
  /** When it was loaded, in milliseconds since 1970. */
  readonly loadedAt: number;
}

/** The state of a rollout for the admin API. */
export interface RolloutStatus {
  readonly current: KnownBundle;
  readonly candidate: KnownBundle | undefined;
  readonly previous: KnownBundle | undefined;
  readonly stage: RolloutStage;
  readonly percent: number;
  /** What principals are hashed with; empty without a candidate. */
  readonly id: string;
  /** The hash of the bundle that was rolled back, and is refused until another one arrives; empty if there is none. */
  readonly refusedHash: string;
  /** Why the last version of the source, or of the candidate's file, is not used; empty if it is. */
  readonly lastError: string;
}

/** A request of the admin API. */
export type RolloutCommand =
  | { readonly kind: 'get' }
  | { readonly kind: 'set'; readonly stage: RolloutStage; readonly percent: number }
  /** The hash, unless empty, must be that of the candidate. */
  | { readonly kind: 'promote'; readonly hash: string }
  /** The hash, unless empty, must be that of the bundle that goes. */
  | { readonly kind: 'rollBack'; readonly hash: string };

/** The result of a command: plain data, which another process may have to pass on. */
export type RolloutOutcome =
  | { readonly kind: 'done'; readonly status: RolloutStatus }
  | { readonly kind: 'refused'; readonly reason: string };
