/**
 * The results that a value may still have while some of what it reads is unknown: true, false, a failure, or any other
 * value. A set of them is a number with a bit for each.
 */
export type Outcomes = number;

export const TRUE = 1;
export const FALSE = 2;
/** The evaluation fails. */
export const FAILS = 4;
/** A value that is not a boolean. */
export const OTHER = 8;
export const ANY: Outcomes = TRUE | FALSE | FAILS | OTHER;

/** The outcomes of `a && b`: false when either is false, true when both are true, otherwise a failure. */
export function bothOutcomes(a: Outcomes, b: Outcomes): Outcomes {
  return (a & b & TRUE) | ((a | b) & FALSE) | (mayFail(a, b) ? FAILS : 0);
}

/** The outcomes of `a || b`. */
export function eitherOutcomes(a: Outcomes, b: Outcomes): Outcomes {
  return swapped(bothOutcomes(swapped(a), swapped(b)));
}

/** The outcomes of `!a`. */
export function negatedOutcomes(a: Outcomes): Outcomes {
  return (swapped(a) & (TRUE | FALSE)) | ((a & (FAILS | OTHER)) !== 0 ? FAILS : 0);
}

/** The outcomes of `test ? then : otherwise`: of the branches that the test can choose. */
export function chosenOutcomes(test: Outcomes, then: Outcomes, otherwise: Outcomes): Outcomes {
  return (
    ((test & TRUE) !== 0 ? then : 0) |
    ((test & FALSE) !== 0 ? otherwise : 0) |
    ((test & (FAILS | OTHER)) !== 0 ? FAILS : 0)
  );
}

/** Whether `a && b` can be neither true nor false: one is not a boolean, and the other is not false. */
function mayFail(a: Outcomes, b: Outcomes): boolean {
  const isOdd = (one: Outcomes, other: Outcomes): boolean =>
    (one & (FAILS | OTHER)) !== 0 && (other & (TRUE | FAILS | OTHER)) !== 0;
  return isOdd(a, b) || isOdd(b, a);
}

function swapped(a: Outcomes): Outcomes {
  return (a & (FAILS | OTHER)) | ((a & TRUE) !== 0 ? FALSE : 0) | ((a & FALSE) !== 0 ? TRUE : 0);
}
