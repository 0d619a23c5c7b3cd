import { RE2JS, RE2JSException } from 're2js';
import { isSafeToBacktrack } from './backtracking.js';
import { BoundedCache } from './bounded-cache.js';
import { NO_SUCH_OVERLOAD } from './failures.js';
import { agreeOnSamples } from './host-regexp.js';
import type { PatternEngine } from './matches.js';
import { charge, chargeMemory, chargeRead, EvaluationLimitError } from './meter.js';
import { describeNoSuchOverload } from './overload-errors.js';
import { costOfPattern, isTooLarge, MAX_INSTRUCTIONS } from './pattern-cost.js';
import { Automaton, findPositions } from './position-automaton.js';
import { parseSafeSubset } from './safe-regexp-parser.js';
import type { Matcher } from './safe-regexp.js';
import { CelError, isFailure, type Result } from './values.js';

/**
 * `s.matches(re)`, unanchored, RE2 (docs/spec/conditions.md#core-functions). The receiver's type is checked before the
 * pattern's.
 */
export function matches(s: Result, re: Result): Result {
  if (isFailure(s)) return s;
  if (isFailure(re)) return re;
  if (typeof s !== 'string') return describeNoSuchOverload('matches');
  if (typeof re !== 'string') return NO_SUCH_OVERLOAD;
  charge(20);
  const matcher = compileRe2(re);
  if (matcher instanceof CelError) return matcher;
  chargeSearch(matcher, s);
  return matcher.test(s);
}

/** Matches constant patterns that are outside the safe subset. */
export const RE2: PatternEngine = { compile: compiledMatcher, matches };

function compiledMatcher(source: string): Matcher {
  const matcher = compileRe2(source);
  return {
    test(text) {
      if (matcher instanceof CelError) return false;
      chargeSearch(matcher, text);
      return matcher.test(text);
    },
  };
}

/**
 * The engine of a constant pattern: undefined for the host's regular expressions, if they take linear time; RE2 if the
 * pattern is invalid, outside the safe subset, or RE2 disagrees about a sample.
 */
export function engineOf(source: string): 'AUTOMATON' | 'RE2' | undefined {
  return engines.get(source, (pattern) => ({ engine: findEngine(pattern) })).engine;
}

/** The compiler asks for each place that a pattern is printed to. */
const engines = /* @__PURE__ */ new BoundedCache<{ readonly engine: ReturnType<typeof engineOf> }>(64);

function findEngine(source: string): ReturnType<typeof engineOf> {
  if (isTooLarge(source)) return 'RE2';
  const pattern = parseSafeSubset(source);
  const positions = pattern && findPositions(pattern);
  const re2 = compileRe2(source);
  if (pattern === undefined || positions === undefined || re2 instanceof CelError) return 'RE2';
  if (!agreeOnSamples(pattern, new Automaton(pattern, positions), re2)) return 'RE2';
  return isSafeToBacktrack(pattern, positions) ? undefined : 'AUTOMATON';
}

/** The pattern as re2js has it, or RE2's complaint about it (docs/spec/conditions.md#regular-expressions). */
export function compileRe2(pattern: string): RE2JS | CelError {
  return compiled.get(pattern, compile);
}

/** Instructions of a compiled pattern; only patterns written to be large have more. */
const MAX_KEPT_SIZE = 5000;

/**
 * Patterns may come with each request and are costly to compile. Each may grow tables of some megabytes while it is
 * used.
 */
const compiled = /* @__PURE__ */ new BoundedCache<RE2JS | CelError>(
  64,
  (pattern) => pattern instanceof CelError || pattern.programSize() <= MAX_KEPT_SIZE,
);

/**
 * Charges for looking for matches of a pattern in a string, where nothing but the automaton of all its instructions may
 * do.
 */
function chargeSearch(matcher: RE2JS, text: string): void {
  charge(((text.length + 8) * (STEPS_A_UNIT + matcher.programSize())) / STEPS_A_UNIT);
}

/** Measured: a step for each unit and four instructions. */
const STEPS_A_UNIT = 4;

/** What re2js's engine of a pattern is used for. */
type Engine = ReturnType<RE2JS['re2']>;

/** The part of re2js's input that is counted. */
interface Input {
  step: (position: number) => number;
}

/**
 * The engine of a pattern, which charges for each of the searches that looking for all matches takes: behind a short
 * match each may read the rest of the string, and without that, time would be the square of its length.
 */
export function meteredEngine(matcher: RE2JS, text: string): Engine {
  const engine = matcher.re2();
  const size = matcher.programSize();
  const stepsARead = (text.length + 1) * size > MAX_BACKTRACKED ? STEPS_A_UNIT + size : STEPS_A_UNIT;
  let counted: Input | undefined;
  // One search over the text is paid before it starts, since it is not stopped.
  let reads = -text.length;
  charge(STEPS_AN_ENGINE + stepsARead * (text.length + 8));
  const executeEngine = (input: Input, position: number, anchor: number, captures: number): unknown => {
    if (counted !== input) {
      counted = input;
      const { step } = input;
      input.step = (at) => {
        reads++;
        return step.call(input, at);
      };
    }
    const match = engine.executeEngine(input, position, anchor, captures);
    charge(STEPS_A_SEARCH + 4 * size + Math.max(reads, 0) * stepsARead);
    reads = Math.min(reads, 0);
    chargeMemory(BYTES_A_MATCH + BYTES_A_PLACE * captures);
    return match;
  };
  // The prefilter would look through the rest of the string at each match, uncounted.
  return Object.create(engine, { executeEngine: { value: executeEngine }, prefilter: { value: null } }) as Engine;
}

/**
 * The most that re2js backtracks: an engine that goes back and reads a unit for each instruction does no more of both
 * together.
 */
const MAX_BACKTRACKED = 262_144;
const STEPS_AN_ENGINE = 200;
const STEPS_A_SEARCH = 50;
const BYTES_A_MATCH = 80;
const BYTES_A_PLACE = 12;

function compile(pattern: string): RE2JS | CelError {
  chargeRead(pattern.length);
  const { instructions, steps, bytes } = costOfPattern(pattern);
  // Limit or not: analyses and validation have none.
  if (instructions > MAX_INSTRUCTIONS) throw new EvaluationLimitError('cost');
  charge(steps);
  chargeMemory(bytes);
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    return new CelError(error instanceof RE2JSException ? complete(error.message) : TOO_DEEP);
  }
}

/** What re2js cannot even parse is too deep for the stack. */
const TOO_DEEP = 'error parsing regexp: expression nests too deeply';

/** RE2 quotes the offending fragment even where it is empty; re2js leaves it out. */
function complete(message: string): string {
  return message.endsWith('trailing backslash at end of expression') ? `${message}: \`\`` : message;
}
