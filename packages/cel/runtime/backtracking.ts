import { type CodePointSet, meet } from './code-point-set.js';
import type { Positions } from './position-automaton.js';
import type { SafeNode, SafePattern } from './safe-regexp-parser.js';

/**
 * Whether a backtracking engine needs only linear time: at every choice at most one way can take the next code point,
 * and no text is matched in two ways. So a choice is never undone later than one code point on. A pattern that may
 * start anywhere must in addition be short, or end with its only unbounded repetition, which then has nothing left to
 * fail.
 */
export function isSafeToBacktrack({ anchoredStart, anchoredEnd, body }: SafePattern, positions: Positions): boolean {
  return isDeterministic(positions) && (anchoredStart || hasBoundedSearch(body, anchoredEnd));
}

function isDeterministic({ sets, first, followers, isAmbiguous }: Positions): boolean {
  return !isAmbiguous && [first, ...followers].every((positions) => areDisjoint(positions, sets));
}

function areDisjoint(positions: Iterable<number>, all: readonly CodePointSet[]): boolean {
  const sets = Array.from(positions, (position) => all[position] as CodePointSet);
  return sets.every((set, index) => sets.slice(index + 1).every((other) => !meet(set, other)));
}

/** Whether an attempt at one place costs no more than the pattern's own size. */
function hasBoundedSearch(body: SafeNode, anchoredEnd: boolean): boolean {
  if (anchoredEnd || body.kind !== 'sequence') return !isUnbounded(body);
  const last = body.items[body.items.length - 1];
  if (last === undefined) return true;
  const rest = body.items.slice(0, -1);
  const tail = last.kind === 'repeat' ? last.body : last;
  return !rest.some(isUnbounded) && !isUnbounded(tail);
}

function isUnbounded(node: SafeNode): boolean {
  switch (node.kind) {
    case 'set':
      return false;
    case 'sequence':
      return node.items.some(isUnbounded);
    case 'choice':
      return node.branches.some(isUnbounded);
    case 'repeat':
      return node.max === Infinity || isUnbounded(node.body);
  }
}
