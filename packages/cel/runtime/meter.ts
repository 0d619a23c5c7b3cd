/*
 * What evaluating conditions costs. Time is counted in steps of about ten nanoseconds, memory in bytes; only what grows
 * with a request is charged. One condition is evaluated at a time, so a program has one meter. It has no limit unless a
 * call sets one: what is charged then is counted and forgotten.
 */
const meter = { steps: Number.POSITIVE_INFINITY, bytes: Number.POSITIVE_INFINITY };
let isLimited = false;

/**
 * Why a call fails instead of deciding: evaluating its conditions costs more than is allowed, or they use values that
 * are nested too deeply.
 */
export class EvaluationLimitError extends Error {
  override readonly name = NAME;

  constructor(readonly reason: 'cost' | 'depth') {
    super(MESSAGES[reason]);
  }

  /** A bundle has its own copy of this class. */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return value instanceof Error && value.name === NAME;
  }
}

/**
 * Limits what is evaluated until `endLimit`. Within another limit, only what is left of that one may be used. Returns
 * whether this limit is the outermost, which `endLimit` needs to know.
 */
export function beginLimit(steps: number, bytes: number): boolean {
  // A boolean, because returning the remaining steps would allocate a number wherever V8 does not inline this.
  meter.bytes = bytes;
  remembered = 0;
  if (isLimited) {
    if (steps < meter.steps) meter.steps = steps;
    return false;
  }
  isLimited = true;
  meter.steps = steps;
  return true;
}

/*
 * The lists and maps of a request that have been found to be JSON in the current call, the latest ones. A condition
 * that reads one for each element of another does not walk it each time.
 */
const found: unknown[] = [undefined, undefined, undefined, undefined];
let remembered = 0;

/** Remembers a list or a map until the call ends. Without a limit it is not known when that is. */
export function remember(value: unknown): void {
  if (!isLimited) return;
  found[remembered % found.length] = value;
  remembered += 1;
}

/** Whether a list or a map is remembered. */
export function remembers(value: unknown): boolean {
  return remembered > 0 && found.lastIndexOf(value, remembered - 1) >= 0;
}

/** Ends a limit. Within another limit, what was used stays used. */
export function endLimit(isOutermost: boolean): void {
  if (isOutermost) isLimited = false;
}

/** Grants new memory: what has been made so far is no longer in use. */
export function renewMemory(bytes: number): void {
  if (isLimited) meter.bytes = bytes;
}

/** How many steps are left. */
export function stepsLeft(): number {
  return isLimited ? meter.steps : Number.POSITIVE_INFINITY;
}

/** Charges steps. Throws when fewer are left: were that a value, a DENY that cannot be evaluated would not hold. */
export function charge(steps: number): void {
  meter.steps -= steps;
  if (meter.steps < 0 && isLimited) throw new EvaluationLimitError('cost');
}

/** Charges for reading a string, or bytes, of a length. */
export function chargeRead(length: number): void {
  charge(length / 16);
}

/**
 * Charges for memory that is about to be allocated; even for none, since variables that double each other ask for it
 * exponentially often.
 */
export function chargeMemory(bytes: number): void {
  meter.bytes -= bytes;
  if (meter.bytes < 0 && isLimited) throw new EvaluationLimitError('cost');
  charge(3 + bytes / 32);
}

/**
 * Charges for a string of a length that is about to be made. One that no JavaScript engine can hold is refused, limit
 * or not.
 */
export function chargeText(length: number): void {
  if (length > MAX_TEXT) throw new EvaluationLimitError('cost');
  chargeMemory(2 * length);
}

/** Charges for a list that is about to be made, and for as many of its elements as are made with it. */
export function chargeList(length: number, made = 0): void {
  chargeMemory(16 * length + 32 * made);
}

/** Fails the call for a value of more levels than `MAX_DEPTH`. */
export function tooDeep(): never {
  throw new EvaluationLimitError('depth');
}

/**
 * How many levels of lists, maps and optionals a value may have where one is walked whole. Deeper ones would overflow
 * the stack.
 */
export const MAX_DEPTH = 1000;

/** The steps that a call has unless its limits say otherwise. */
export const DEFAULT_COST = 50_000_000;

/** The bytes that a call has unless its limits say otherwise. */
export const DEFAULT_MEMORY = 100 * 1024 * 1024;

/** Length in UTF-16 units; engines stop between 2^28 and 2^30. */
export const MAX_TEXT = 2 ** 26;

const NAME = 'EvaluationLimitError';
const MESSAGES = {
  cost: 'evaluating the conditions of the request costs more than `engine.limits` allows',
  depth: `a condition uses a value that is nested more than ${MAX_DEPTH} levels`,
} as const;
