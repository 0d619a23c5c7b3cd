import { BoundedCache } from './bounded-cache.js';
import { NO_SUCH_OVERLOAD } from './failures.js';
import { verifiedRegExp } from './host-regexp.js';
import { charge, chargeRead } from './meter.js';
import { describeNoSuchOverload } from './overload-errors.js';
import { Automaton, findPositions } from './position-automaton.js';
import { parseSafeSubset, type SafePattern } from './safe-regexp-parser.js';
import type { Matcher } from './safe-regexp.js';
import { isFailure, type Result } from './values.js';

/*
 * Patterns that are known when a policy is compiled. Nothing here imports RE2, which is larger than the rest of a
 * bundle: a pattern that needs it names it. The compiler decides which engine a pattern has (`engineOf`).
 */

/** Matches patterns that the host's regular expressions cannot. */
export interface PatternEngine {
  /** The matcher of a pattern; that of an invalid one matches nothing. */
  readonly compile: (source: string) => Matcher;
  /** `s.matches(re)`. */
  readonly matches: (s: Result, re: Result) => Result;
}

/** A pattern as a constant of a module. */
export interface LiteralPattern {
  readonly source: string;
  /** Absent if the host's regular expressions match it. */
  readonly engine: PatternEngine | undefined;
  /** Made at the first use. */
  matchers: Matchers | undefined;
}

interface Matchers {
  /** A native RegExp; undefined if this host cannot be trusted with the pattern. */
  readonly native: RegExp | undefined;
  readonly linear: Matcher;
}

/** A pattern as a constant of a module. */
export function literalPattern(source: string, engine?: PatternEngine): LiteralPattern {
  const pattern: LiteralPattern = { source, engine, matchers: undefined };
  if (engine === undefined && known.length < MAX_KNOWN) known.push(pattern);
  return pattern;
}

/** Whether a value is a string with a match of the pattern; false for anything that `matches` would fail on. */
export function matchesPattern(s: unknown, pattern: LiteralPattern): boolean {
  if (typeof s !== 'string') return false;
  const { native, linear } = chooseMatchers(pattern);
  if (native === undefined || s.length > LONG_TEXT) return linear.test(s);
  chargeRead(s.length);
  return native.test(s);
}

/**
 * Length in UTF-16 units. A native RegExp keeps a way back for each step of a repetition and throws when it has too
 * many.
 */
const LONG_TEXT = 100_000;

function chooseMatchers(pattern: LiteralPattern): Matchers {
  pattern.matchers ??= makeMatchers(pattern);
  return pattern.matchers;
}

function makeMatchers({ source, engine }: LiteralPattern): Matchers {
  if (engine !== undefined) return { native: undefined, linear: engine.compile(source) };
  const [parsed, linear] = makeAutomaton(source);
  return { native: verifiedRegExp(parsed, linear), linear };
}

function makeAutomaton(source: string): readonly [SafePattern, Automaton] {
  const parsed = parseSafeSubset(source);
  const positions = parsed && findPositions(parsed);
  // Not a value: a DENY with a pattern that cannot be tried would not hold.
  if (parsed === undefined || positions === undefined) throw new Error(`${source} needs RE2`);
  return [parsed, new Automaton(parsed, positions)];
}

/** `s.matches(re)` with a pattern of the safe subset that is a literal of a policy. */
export function matchesLiteral(s: Result, re: Result): Result {
  if (isFailure(s)) return s;
  if (isFailure(re)) return re;
  if (typeof s !== 'string') return describeNoSuchOverload('matches');
  if (typeof re !== 'string') return NO_SUCH_OVERLOAD;
  charge(20);
  return automata.get(re, compileAutomaton).test(s);
}

const automata = /* @__PURE__ */ new BoundedCache<Matcher>(64);

function compileAutomaton(source: string): Matcher {
  return makeAutomaton(source)[1];
}

/** Matches patterns of the safe subset on which backtracking could take more than linear time. */
export const AUTOMATON: PatternEngine = { compile: compileAutomaton, matches: matchesLiteral };

/** Making the matchers of a pattern takes up to a millisecond, and an incorrect host shows in the first ones. */
const MAX_KNOWN = 200;
const known: LiteralPattern[] = [];

/**
 * The constant patterns that this host's regular expressions matched incorrectly: automata match them, which is right,
 * and slower. Tries up to 200 patterns.
 */
export function patternsFailedOnHost(): readonly string[] {
  return known.filter((pattern) => chooseMatchers(pattern).native === undefined).map(({ source }) => source);
}
