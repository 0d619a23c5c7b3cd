import type { RolloutStage } from '../service/rollout-command.js';

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
  /** Percentage of principals for whom the candidate decides, from 0 to 100; 0 in the stage `shadow`. */
  readonly percent: number;
  /** Decides, with the id of the principal, who is in the canary. Empty: the hash of the candidate. */
  readonly id: string;
  /** The hashes of the bundles that were current before, oldest first. */
  readonly passed: readonly string[];
}
