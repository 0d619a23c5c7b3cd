import type { BundleText } from '../bundle/read-bundle.js';

/** How a candidate is tried: it decides beside, off the path of replies, or for a share of the principals. */
export type RolloutStage = 'shadow' | 'canary';

/**
 * Which bundles a server has, and which decides: plain data, the same in every process. Bundles are named by their
 * digests.
 */
export interface Rollout {
  /** Greater after each change. */
  readonly version: number;
  readonly current: string;
  readonly candidate: string | undefined;
  /** What was current before the last promotion; undefined unless it can become current again. */
  readonly previous: string | undefined;
  readonly stage: RolloutStage;
  /** Of principals for whom the candidate decides, from 0 to 100; 0 in the stage `shadow`. */
  readonly percent: number;
  /** With the id of the principal, it decides who is in the canary. Empty: the hash of the candidate. */
  readonly id: string;
  /** The hashes of the bundles that were current before, oldest first. */
  readonly passed: readonly string[];
}

/** A rollout, and the bundles of it that a process may not have yet. */
export interface RolloutChange {
  readonly rollout: Rollout;
  readonly texts: readonly BundleText[];
}

/** The rollout of a server that has just started. */
export function initialRollout(current: BundleText): Rollout {
  return {
    version: 0,
    current: current.digest,
    candidate: undefined,
    previous: undefined,
    stage: 'shadow',
    percent: 0,
    id: '',
    passed: [],
  };
}

/** Whether a rollout has the bundle with a digest. */
export function hasBundle({ current, candidate, previous }: Rollout, digest: string): boolean {
  return digest === current || digest === candidate || digest === previous;
}

/** A bundle of a server, as the process knows it that reads bundles: without its text, which is large. */
export interface KnownBundle extends Omit<BundleText, 'text'> {
  /** Of its policies. */
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
