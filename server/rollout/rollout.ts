import type { BundleText } from '../bundle/read-bundle.js';
import type { Rollout } from '../swap/rollout.js';

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
