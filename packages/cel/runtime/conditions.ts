import { undefinedField } from './failures.js';
import { type CelError, isFailure, type Result } from './values.js';

/** One part of a condition, evaluated when its turn comes. */
type Part = () => Result;

/**
 * `all`: false at the first part that is not true; a failure met before it is the result
 * (docs/spec/policy-language.md#results-of-conditions, strict mode).
 */
export function allOf(...parts: readonly Part[]): Result {
  for (const part of parts) {
    const result = part();
    if (result !== true) return isFailure(result) ? result : false;
  }
  return true;
}

/** `any`: true at the first part that is true; a failure met before it is the result. */
export function anyOf(...parts: readonly Part[]): Result {
  for (const part of parts) {
    const result = part();
    if (result === true || isFailure(result)) return result;
  }
  return false;
}

/** `none`: false at the first part that is true; a failure met before it is the result. */
export function noneOf(...parts: readonly Part[]): Result {
  const result = anyOf(...parts);
  return isFailure(result) ? result : result !== true;
}

/**
 * What a condition decides, or the text of its failure; a value that is not a boolean does not hold
 * (docs/spec/policy-language.md#results-of-conditions).
 */
export function verdict(result: Result): boolean | string {
  return isFailure(result) ? failureText(result) : result === true;
}

/** The same for an effect that stands where the condition does not hold. */
export function verdictUnless(result: Result): boolean | string {
  return isFailure(result) ? failureText(result) : result !== true;
}

/** A listener for failures while conditions are evaluated (docs/spec/conditions.md#evaluation-errors). */
export interface Failures {
  /**
   * Whether a failure is the end of its condition, as in strict evaluation; otherwise the part that failed does not
   * hold.
   */
  readonly stops: boolean;
  /**
   * A part of a condition has been evaluated, with the author's text; the message is undefined when it did not fail.
   */
  readonly part: (expression: string, message: string | undefined) => void;
  /** A variable has failed. */
  readonly variable: (expression: string, message: string) => void;
}

/** One expression of a condition. */
export function part(failures: Failures | undefined, expression: string, result: Result): Result {
  if (failures === undefined) return result;
  if (!isFailure(result)) {
    failures.part(expression, undefined);
    return result;
  }
  failures.part(expression, failureText(result));
  return failures.stops ? result : false;
}

/** The definition of a variable. */
export function variable(failures: Failures | undefined, expression: string, result: Result): Result {
  if (failures !== undefined && isFailure(result)) failures.variable(expression, failureText(result));
  return result;
}

/** The text of a failure; one without is a key that is not there. */
function failureText(failure: CelError | undefined): string {
  return failure?.message ?? 'no such key';
}

/**
 * A variable, constant or global as an expression reads it: one that failed is not set
 * (docs/spec/conditions.md#policy-variables).
 */
export function bound(name: string, result: Result): Result {
  return isFailure(result) ? undefinedField(name) : result;
}

/**
 * A variable while derived roles are listed: one that failed reads as null
 * (docs/spec/policy-language.md#evaluating-variables).
 */
export function orNull(result: Result): Result {
  return isFailure(result) ? null : result;
}

/** `cel.bind`: a failed initialiser harms only a body that uses it. */
export function bind(result: Result, body: (value: Result) => Result): Result {
  return body(result);
}
