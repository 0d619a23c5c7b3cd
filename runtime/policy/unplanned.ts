import type { Condition } from '../residual/index.js';

/** The `where` of a condition that was compiled for checks only: nothing can be said of the rows it holds for. */
export function unplanned(): Condition {
  return { kind: 'unplannable', reason: 'a condition that was compiled for checks only' };
}
