import type { RE2JS } from 're2js';
import { NO_SUCH_OVERLOAD } from './failures.js';
import { isNative, verifiedRegExp } from './host-regexp.js';
import { charge, chargeRead } from './meter.js';
import { noSuchOverloadOf } from './overload-errors.js';
import { chargeSearch, compileRe2 } from './regexp.js';
import { CelError, isFailure, type Result } from './values.js';

/** A pattern known when the policy was compiled. */
export interface LiteralPattern {
  readonly source: string;
  /**
   * A native RegExp where that is certain to agree, re2js otherwise, or why the pattern is invalid. Made at the first
   * use.
   */
  matcher: RegExp | RE2JS | CelError | undefined;
}

/** A pattern as a constant of a module. */
export function literalPattern(source: string): LiteralPattern {
  const pattern: LiteralPattern = { source, matcher: undefined };
  knowPattern(() => (isLeftToRe2(pattern) ? source : undefined));
  return pattern;
}

function isLeftToRe2(pattern: LiteralPattern): boolean {
  pattern.matcher ??= matcherOf(pattern.source);
  const { matcher } = pattern;
  return !(matcher instanceof RegExp || matcher instanceof CelError) && isNative(pattern.source);
}

/** Whether a value is a string with a match of the pattern; false for anything that `matches` would fail on. */
export function matchesPattern(s: unknown, pattern: LiteralPattern): boolean {
  if (typeof s !== 'string') return false;
  pattern.matcher ??= matcherOf(pattern.source);
  const matcher = s.length > LONG_TEXT ? compileRe2(pattern.source) : pattern.matcher;
  if (matcher instanceof CelError) return false;
  if (matcher instanceof RegExp) chargeRead(s.length);
  else chargeSearch(matcher, s);
  return matcher.test(s);
}

function matcherOf(source: string): RegExp | RE2JS | CelError {
  const re2 = compileRe2(source);
  return re2 instanceof CelError ? re2 : (verifiedRegExp(source, re2) ?? re2);
}

/**
 * `s.matches(re)`, unanchored, RE2 (docs/spec/conditions.md#core-functions). The receiver's type is checked before the
 * pattern's.
 */
export function matches(s: Result, re: Result): Result {
  if (isFailure(s)) return s;
  if (isFailure(re)) return re;
  if (typeof s !== 'string') return noSuchOverloadOf('matches');
  if (typeof re !== 'string') return NO_SUCH_OVERLOAD;
  charge(20);
  const matcher = compileRe2(re);
  if (matcher instanceof CelError) return matcher;
  chargeSearch(matcher, s);
  return matcher.test(s);
}

/** In UTF-16 units. A native RegExp keeps a way back for each step of a repetition and throws when it has too many. */
const LONG_TEXT = 100_000;

/**
 * How many patterns are known at most: trying one takes up to a millisecond, and those that tell are found among the
 * first.
 */
const MOST = 200;

const known: (() => string | undefined)[] = [];

/**
 * Makes a pattern known to `patternsLeftToRe2`. `leftToRe2` gives it when RE2 serves it because the host's regular
 * expressions are wrong about it.
 */
function knowPattern(leftToRe2: () => string | undefined): void {
  if (known.length < MOST) known.push(leftToRe2);
}

/**
 * The constant patterns that RE2 serves because this host's regular expressions have answered wrongly: right, and many
 * times slower. Tries up to 200 patterns.
 */
export function patternsLeftToRe2(): readonly string[] {
  return known.flatMap((leftToRe2) => leftToRe2() ?? []);
}
