import { type CelError, isFailure, type Result } from './values.js';

/** Who is told what fails while conditions are evaluated (docs/spec/conditions.md#evaluation-errors). */
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
export function failureText(failure: CelError | undefined): string {
  return failure?.message ?? 'no such key';
}
