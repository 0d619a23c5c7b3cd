import type { Example } from './example.js';

const BUNDLE = {
  hash: 'f6a1c0a3a2f0b6c1',
  digest: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
  loadedAt: '2025-06-02T09:30:00.000Z',
};
const CANDIDATE = {
  hash: '0d5be2d7f1a94e11',
  digest: '60303ae22b998861bce3b28f33eec1be758a213c86c93c076dbe9f558c11c752',
  loadedAt: '2025-06-02T10:00:00.000Z',
};
const CANARY = {
  rollout: {
    current: BUNDLE,
    candidate: CANDIDATE,
    stage: 'STAGE_CANARY',
    percent: 5,
    rolloutId: CANDIDATE.hash,
  },
};

/** Examples of GetRollout. */
export const GET_ROLLOUT_EXAMPLES: readonly Example[] = [
  { name: 'canary', summary: 'A candidate decides for 5 % of the principals', response: CANARY },
];

/** Examples of SetRollout. */
export const SET_ROLLOUT_EXAMPLES: readonly Example[] = [
  {
    name: 'canary',
    summary: '5 % of the principals',
    request: { stage: 'STAGE_CANARY', percent: 5 },
    response: CANARY,
  },
];

/** Examples of PromoteBundle. */
export const PROMOTE_EXAMPLES: readonly Example[] = [
  {
    name: 'promoted',
    summary: 'The candidate becomes current',
    request: { hash: CANDIDATE.hash },
    response: { rollout: { current: CANDIDATE, previous: BUNDLE } },
  },
];

/** Examples of RollBackBundle. */
export const ROLL_BACK_EXAMPLES: readonly Example[] = [
  {
    name: 'rolled-back',
    summary: 'The candidate is dropped',
    request: { hash: CANDIDATE.hash },
    response: { rollout: { current: BUNDLE, refusedHash: CANDIDATE.hash } },
  },
];
