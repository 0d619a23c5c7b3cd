import { NO_SUCH_OVERLOAD, findProblem } from './failures.js';
import { isFailure, type Result } from './values.js';

/**
 * `a && b` (docs/spec/conditions.md#logical-operators): false when either is false, whatever the other; true when both
 * are; else the first problem.
 */
export function and(a: Result, b: Result): Result {
  if (a === false || b === false) return false;
  if (a !== true) return findProblem(a);
  return b === true ? true : findProblem(b);
}

/** `a || b`: true when either is true, whatever the other; false when both are false; else the first problem. */
export function or(a: Result, b: Result): Result {
  if (a === true || b === true) return true;
  if (a !== false) return findProblem(a);
  return b === false ? false : findProblem(b);
}

/** `!a`. */
export function not(a: Result): Result {
  return typeof a === 'boolean' ? !a : findProblem(a);
}

/** `c ? a : b`: the branch that is not chosen does not matter, even when it failed. */
export function conditional(condition: Result, whenTrue: Result, whenFalse: Result): Result {
  if (condition === true) return whenTrue;
  if (condition === false) return whenFalse;
  return isFailure(condition) ? condition : NO_SUCH_OVERLOAD;
}
