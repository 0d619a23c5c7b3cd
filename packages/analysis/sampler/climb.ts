import type { Sight } from '../coverage/rule-record.js';
import type { Situation } from '../question/situation.js';

/** How well a situation shows what is searched. */
export interface Score {
  /** 0 if it shows it well; infinite where the search cannot go on from it. */
  readonly distance: number;
  readonly isMet: boolean;
  /** The decisions of rules whose conditions are to change. */
  readonly sights: readonly Sight[];
}

/** What a search asks. */
export interface Climb {
  readonly score: (situation: Situation) => Score;
  /** Situations that differ in one part, in the order in which they are tried. */
  readonly changes: (situation: Situation, sights: readonly Sight[]) => readonly Situation[];
  /** The number of situations that are scored. */
  readonly tries: number;
  /** How many more are scored to improve one that shows it, but not well. */
  readonly improvements: number;
  /** Asked before each try; true ends the search. */
  readonly isOver?: () => boolean;
}

/**
 * Searches a situation: from the starts, changes one part at a time to what conditions compare, and goes on from the
 * situation that is nearest. The same starts have the same result.
 */
export function climb(starts: readonly Situation[], search: Climb): Situation | undefined {
  const { score: scoreOf, changes: changesOf, improvements, isOver = () => false } = search;
  const seen = new Set<string>();
  const open: OpenSituation[] = [];
  let tries = 0;
  let found: { readonly situation: Situation; readonly score: Score } | undefined;
  let end = search.tries;
  const visit = (situation: Situation): Score | undefined => {
    const key = JSON.stringify(situation);
    if (seen.has(key) || tries >= end) return undefined;
    if (isOver()) {
      end = 0;
      return undefined;
    }
    seen.add(key);
    tries += 1;
    const score = scoreOf(situation);
    if (score.sights.length > 0) open.push({ score, left: () => changesOf(situation, score.sights) });
    if (score.isMet && (found === undefined || score.distance < found.score.distance)) {
      if (found === undefined) end = Math.min(end, tries + improvements);
      found = { situation, score };
    }
    return score;
  };
  const isFoundWell = (): boolean => found?.score.distance === 0;
  for (const start of starts) if (visit(start) !== undefined && isFoundWell()) return found?.situation;
  while (open.length > 0 && tries < end) {
    const nearest = takeNearest(open);
    const changes = nearest.left();
    for (const [index, changed] of changes.entries()) {
      const score = visit(changed);
      if (score === undefined) continue;
      if (isFoundWell()) return found?.situation;
      if (score.distance >= nearest.score.distance) continue;
      // Goes on from there; the other changes follow if that leads nowhere.
      open.push({ ...nearest, left: () => changes.slice(index + 1) });
      break;
    }
  }
  return found?.situation;
}

/** A situation from which the search can go on. */
interface OpenSituation {
  readonly score: Score;
  /** The changes that were not tried. */
  readonly left: () => readonly Situation[];
}

/** The first of those that are nearest. */
function takeNearest(open: OpenSituation[]): OpenSituation {
  let nearest = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let index = 0; index < open.length; index += 1) {
    const { distance } = (open[index] as OpenSituation).score;
    if (distance >= least) continue;
    least = distance;
    nearest = index;
  }
  return open.splice(nearest, 1)[0] as OpenSituation;
}
