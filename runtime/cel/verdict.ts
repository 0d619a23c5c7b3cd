import { failureText } from './failures-told.js';
import { isFailure, type Result } from './values.js';

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
 * What a condition decides, or the text of its failure; a value that is no boolean does not hold
 * (docs/spec/policy-language.md#results-of-conditions).
 */
export function verdict(result: Result): boolean | string {
  return isFailure(result) ? failureText(result) : result === true;
}

/** The same for an effect that stands where the condition does not hold. */
export function verdictUnless(result: Result): boolean | string {
  return isFailure(result) ? failureText(result) : result !== true;
}
