import type { RE2JS } from 're2js';
import type { CodePointSet } from './code-point-set.js';
import type { SafeNode, SafePattern } from './safe-regexp-parser.js';
import { parseDeterministic, printRegExp, safeRegExp } from './safe-regexp.js';

/**
 * A native RegExp with RE2's meaning, in linear time; undefined when the pattern is outside the subset for which both
 * are certain, or when this host cannot be trusted with it. Regular expression engines have bugs, and a wrong answer
 * may allow what a rule denies: one wrong answer to the trials or to samples of a pattern, and RE2 serves all later
 * patterns.
 */
export function verifiedRegExp(pattern: string, re2: RE2JS): RegExp | undefined {
  const parsed = parseDeterministic(pattern);
  if (parsed === undefined) return undefined;
  hostIsTrusted ??= passesTrials();
  const native = hostIsTrusted ? agreeing(parsed, re2) : undefined;
  hostIsTrusted = native !== undefined;
  return native;
}

/** Whether a pattern is in the subset that a host serves itself when it can be trusted. */
export function isNative(pattern: string): boolean {
  return parseDeterministic(pattern) !== undefined;
}

let hostIsTrusted: boolean | undefined;

function agreeing(parsed: SafePattern, re2: RE2JS): RegExp | undefined {
  try {
    const native = printRegExp(parsed);
    return samplesOf(parsed).every((sample) => native.test(sample) === re2.test(sample)) ? native : undefined;
  } catch {
    return undefined;
  }
}

function passesTrials(): boolean {
  try {
    return TRIALS.every(([pattern, text, matches]) => safeRegExp(pattern)?.test(text) === matches);
  } catch {
    // A host may lack a flag or refuse a class.
    return false;
  }
}

/** What engines may get wrong about the constructs that are printed, with RE2's answers. */
const TRIALS: readonly (readonly [pattern: string, text: string, matches: boolean])[] = [
  ['[^a-z0-9]$', 'abc\u{1f600}', true],
  ['[^a-z0-9]$', '\u{1f600}abc', false],
  ['(?:b|[^a-c]{2})x?$', 'a\u{1f600}\u{1f600}', true],
  ['^[^a]$', '\u{1f600}', true],
  ['^.{2}$', '\u{1f600}', false],
  ['^.{2}$', '\ud83d\ud83d', true],
  ['[\u{1f600}-\u{1f64f}]', 'a\u{1f64f}', true],
  ['[\u{1f600}-\u{1f64f}]', '\ud83d', false],
  ['[\ud7ff-\udfff]', '\u{1f600}', false],
  ['[\uff00-\u{10010}]$', '\uffff', true],
  ['a$', 'a\n', false],
  ['^b', 'a\nb', false],
  ['.', '\n', false],
  ['.', '\u2028', true],
  ['\\s', '\v\u00a0', false],
  ['\\W', '\u017f', true],
  ['(?i)^k$', '\u212a', true],
  ['k', 'K', false],
  ['^(?:a|b?c){2,3}$', 'abcc', true],
  ['^(?:a|b?c){2,3}$', 'abcca', false],
  ['[a-c]{2}x$', 'zabx', true],
  ['^(?:[a-z]+(?:\\.[a-z]+)*)?$', 'some.where', true],
  ['^(?:[a-z]+(?:\\.[a-z]+)*)?$', 'some..where', false],
];

/**
 * Strings to try a pattern of the safe subset on: some that its body matches, from the ends of its sets, with branches
 * and numbers of repetitions in turn, and each of them a little longer or shorter.
 */
function samplesOf({ body }: SafePattern): readonly string[] {
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
