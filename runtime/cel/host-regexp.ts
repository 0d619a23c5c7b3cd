import type { RE2JS } from 're2js';
import { parseDeterministic, printRegExp, safeRegExp } from './safe-regexp.js';
import type { SafePattern } from './safe-regexp-parser.js';
import { samplesOf } from './safe-regexp-samples.js';

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
