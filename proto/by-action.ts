import type { ActionDecision } from './messages.js';

/** Decisions in the order in which maps are written: by action. Few are asked at once, so insertion it is. */
export function byAction(decisions: readonly ActionDecision[]): readonly ActionDecision[] {
  const sorted: ActionDecision[] = [];
  for (let index = 0; index < decisions.length; index++) {
    const decision = decisions[index] as ActionDecision;
    let place = index;
    while (place > 0 && (sorted[place - 1] as ActionDecision).action > decision.action) {
      sorted[place] = sorted[place - 1] as ActionDecision;
      place -= 1;
    }
    sorted[place] = decision;
  }
  return sorted;
}
