import type { Sight } from '../../analysis/coverage/rule-record.js';
import type { Situation } from '../../analysis/question/situation.js';
import { changedSituations, type ChangeOptions } from '../../analysis/sampler/changed-situations.js';
import { climb, type Score } from '../../analysis/sampler/climb.js';
import type { Goal } from './goals.js';

/** What a search asks. */
export interface Trial extends ChangeOptions {
  readonly observe: (situation: Situation) => readonly Sight[];
  /** How many rules of JSON schemas the attributes violate. */
  readonly violations: (situation: Situation) => number;
}

/** How well a situation shows a goal. One that violates schemas does not show it. */
export function scoreSituation(goal: Goal, situation: Situation, { observe, violations }: Trial): Score {
  let best: Score = { distance: Infinity, isMet: false, sights: [] };
  let isMet = false;
  for (const sight of observe(situation)) {
    if (sight.record !== goal.record) continue;
    isMet ||= goal.isMetBy(sight);
    const distance = goal.distance(sight);
    if (distance < best.distance) best = { distance, isMet, sights: [sight] };
  }
  if (best.sights.length === 0) return best;
  const violated = violations(situation);
  return { ...best, distance: best.distance + violated, isMet: isMet && violated === 0 };
}

const MOST_TRIES = 800;
/** How many tries a situation that shows a goal, but not well, is improved for. */
const MOST_IMPROVEMENTS = 400;

/** Searches a situation that shows a goal. */
export function searchFor(goal: Goal, starts: readonly Situation[], trial: Trial): Situation | undefined {
  return climb(starts, {
    score: (situation) => scoreSituation(goal, situation, trial),
    changes: (situation, sights) => changedSituations(situation, sights, trial),
    tries: MOST_TRIES,
    improvements: MOST_IMPROVEMENTS,
  });
}
