import type { RE2JS } from 're2js';
import { NO_SUCH_OVERLOAD } from './failures.js';
import { noSuchOverloadOf } from './overload-errors.js';
import { compileRe2 } from './regexp.js';
import { safeRegExp } from './safe-regexp.js';
import { CelError, isFailure, type Result } from './values.js';

/** A pattern known when the policy was compiled: a native RegExp where that is certain to agree, re2js otherwise. */
export interface LiteralPattern {
  readonly source: string;
  readonly matcher: RegExp | RE2JS | CelError;
}

/** Prepares a pattern once, as a constant of a module (conditions.md Appendix B). An invalid one is kept as its error. */
export function literalPattern(source: string): LiteralPattern {
  return { source, matcher: safeRegExp(source) ?? compileRe2(source) };
}

/** Whether a value is a string with a match of the pattern; false for anything that `matches` would fail on. */
export function matchesPattern(s: unknown, pattern: LiteralPattern): boolean {
  if (typeof s !== 'string') return false;
  const matcher = s.length > LONG_TEXT ? compileRe2(pattern.source) : pattern.matcher;
  return matcher instanceof CelError ? false : matcher.test(s);
}

/** `s.matches(re)`, unanchored, RE2 (conditions.md 2.3). The receiver's type is checked before the pattern's. */
export function matches(s: Result, re: Result): Result {
  if (isFailure(s)) return s;
  if (isFailure(re)) return re;
  if (typeof s !== 'string') return noSuchOverloadOf('matches');
  if (typeof re !== 'string') return NO_SUCH_OVERLOAD;
  const matcher = compileRe2(re);
  return matcher instanceof CelError ? matcher : matcher.test(s);
}

/** In UTF-16 units. A native RegExp keeps a way back for each step of a repetition and throws when it has too many. */
const LONG_TEXT = 100_000;
