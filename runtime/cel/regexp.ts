import { RE2JS, RE2JSException } from 're2js';
import { BoundedCache } from './bounded-cache.js';
import { charge, chargeMemory } from './meter.js';
import { CelError } from './values.js';

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
const compiled = new BoundedCache<RE2JS | CelError>(
  64,
  (pattern) => pattern instanceof CelError || pattern.programSize() <= MAX_KEPT_SIZE,
);

/**
 * Charges for looking for matches of a pattern in a string, where nothing but the automaton of all its instructions may
 * do.
 */
export function chargeSearch(matcher: RE2JS, text: string): void {
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

/** Of re2js: an engine that goes back and reads a unit for each instruction does no more of both together. */
const MAX_BACKTRACKED = 262_144;
const STEPS_AN_ENGINE = 200;
const STEPS_A_SEARCH = 50;
const BYTES_A_MATCH = 80;
const BYTES_A_PLACE = 12;

function compile(pattern: string): RE2JS | CelError {
  charge(STEPS_A_PATTERN * (pattern.length + 4));
  chargeMemory(BYTES_A_PATTERN * pattern.length);
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

/** For each unit of a pattern that is compiled. */
const STEPS_A_PATTERN = 200;
const BYTES_A_PATTERN = 500;
