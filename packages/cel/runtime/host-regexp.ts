import { parseSafeSubset, type SafeNode, type SafePattern } from './safe-regexp-parser.js';
import { type Matcher, printRegExp } from './safe-regexp.js';

/**
 * A native RegExp for a pattern on which backtracking takes linear time; undefined if this host cannot be trusted with
 * it. Regular expression engines have bugs, and a wrong answer may allow what a rule denies: after one wrong answer to
 * the trials or to samples of a pattern, automata serve all later patterns.
 */
export function verifiedRegExp(pattern: SafePattern, reference: Matcher): RegExp | undefined {
  hostIsTrusted ??= passesTrials();
  const native = hostIsTrusted ? agreeing(pattern, reference) : undefined;
  hostIsTrusted = native !== undefined;
  return native;
}

let hostIsTrusted: boolean | undefined;

function agreeing(pattern: SafePattern, reference: Matcher): RegExp | undefined {
  try {
    const native = printRegExp(pattern);
    return agreeOnSamples(pattern, native, reference) ? native : undefined;
  } catch {
    return undefined;
  }
}

/** Whether two matchers of a pattern give the same answers about samples of it. */
export function agreeOnSamples(pattern: SafePattern, a: Matcher, b: Matcher): boolean {
  return makeSamples(pattern).every((sample) => a.test(sample) === b.test(sample));
}

function passesTrials(): boolean {
  try {
    return TRIALS.every(([pattern, text, matches]) => {
      const parsed = parseSafeSubset(pattern);
      return parsed !== undefined && printRegExp(parsed).test(text) === matches;
    });
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
function makeSamples({ body }: SafePattern): readonly string[] {
  return BESIDE.flatMap((beside, turn) => {
    const inside = makeMember(body, turn % 2, turn >> 1);
    return [inside, beside + inside, inside + beside, inside.slice(0, -1)];
  });
}

/** What a sample gets at one end: ASCII, code points of one and two units, half a pair, line ends. */
const BESIDE = ['\u{1f600}', 'a', '\n', '\ud83d', '\u00e9', '\u2028', '\udc00', '\r'];

/**
 * A string that a pattern matches.
 * @param end 0: the last code point of each set; 1: the first code point of one of its ranges.
 * @param round which range, which branch, and how many additional repetitions; fewer inside, so that none is long.
 */
function makeMember(node: SafeNode, end: number, round: number): string {
  switch (node.kind) {
    case 'set': {
      const range = node.set[end === 0 ? node.set.length - 1 : round % node.set.length];
      return String.fromCodePoint(range?.[1 - end] ?? 0);
    }
    case 'sequence':
      return node.items.map((item) => makeMember(item, end, round)).join('');
    case 'choice':
      return makeMember(node.branches[round % node.branches.length] as SafeNode, end, round);
    case 'repeat': {
      const count = Math.min(node.max, Math.max(node.min, end === 1 && round === 0 ? 0 : 1) + round);
      return makeMember(node.body, end, round >> 1).repeat(count);
    }
  }
}
