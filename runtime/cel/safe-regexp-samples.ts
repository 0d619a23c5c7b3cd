import type { CodePointSet } from './code-point-set.js';
import type { SafeNode, SafePattern } from './safe-regexp-parser.js';

/**
 * Strings to try a pattern of the safe subset on: some that its body matches, from the ends of its sets, with branches
 * and numbers of repetitions in turn, and each of them a little longer or shorter.
 */
export function samplesOf({ body }: SafePattern): readonly string[] {
  return BESIDE.flatMap((beside, turn) => {
    const inside = memberOf(body, { end: turn % 2, round: turn >> 1 });
    return [inside, beside + inside, inside + beside, inside.slice(0, -1)];
  });
}

/** What a sample gets at one end: ASCII, code points of one and two units, half a pair, line ends. */
const BESIDE = ['\u{1f600}', 'a', '\n', '\ud83d', '\u00e9', '\u2028', '\udc00', '\r'];

/** Which of all strings a sample is. */
interface Turn {
  /** 0: the last code point of each set; 1: the first code point of one of its ranges. */
  readonly end: number;
  /** Which range, which branch, and how many additional repetitions; fewer inside, so that no sample is long. */
  readonly round: number;
}

function memberOf(node: SafeNode, turn: Turn): string {
  switch (node.kind) {
    case 'set':
      return String.fromCodePoint(codePointOf(node.set, turn));
    case 'sequence':
      return node.items.map((item) => memberOf(item, turn)).join('');
    case 'choice': {
      const branch = node.branches[turn.round % node.branches.length];
      return branch === undefined ? '' : memberOf(branch, turn);
    }
    case 'repeat': {
      const { end, round } = turn;
      const count = Math.min(node.max, Math.max(node.min, end === 1 && round === 0 ? 0 : 1) + round);
      return memberOf(node.body, { end, round: round >> 1 }).repeat(count);
    }
  }
}

function codePointOf(set: CodePointSet, { end, round }: Turn): number {
  const range = end === 0 ? set[set.length - 1] : set[round % set.length];
  return range?.[end === 0 ? 1 : 0] ?? 0;
}
