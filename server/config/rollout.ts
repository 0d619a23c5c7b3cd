import type { Settings } from './settings.js';

/** How candidates are tried (docs/rollout.md). */
export interface RolloutConfig {
  /** How long calls wait for a bundle, in milliseconds. */
  readonly minWait: number;
  /** A file; undefined: there is no candidate. */
  readonly candidate: string | undefined;
  /** In which stage each new candidate begins. */
  readonly stage: 'shadow' | 'canary';
  /** Of the principals, from 0 to 100. */
  readonly percent: number;
  /** Empty: the hash of the candidate. */
  readonly id: string;
  /** Of the calls that the candidate decides in the stage `shadow`, from 0 to 1. */
  readonly rate: number;
  /** A file for differences; undefined: the log of the server. */
  readonly log: string | undefined;
}

/** How candidates are tried. */
export function rolloutOf(settings: Settings): RolloutConfig {
  return {
    minWait: settings['bundle.minWait'],
    candidate: settings['bundle.rollout.candidate'] || undefined,
    stage: settings['bundle.rollout.stage'],
    percent: settings['bundle.rollout.percent'],
    id: settings['bundle.rollout.id'],
    rate: settings['bundle.rollout.rate'],
    log: settings['bundle.rollout.log'] || undefined,
  };
}
