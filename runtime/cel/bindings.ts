import { undefinedField } from './failures.js';
import { isFailure, type Result } from './values.js';

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
