import type { Condition, Invariants } from './policy.js';

/** The conditions of all statements: what `when` and `unless` say of the requests that these are about. */
export function listPremises({ statements }: Invariants): readonly Condition[] {
  return statements
    .flatMap(({ claim }) => (claim.form === 'final' ? [] : [claim.about.when, claim.about.unless]))
    .filter((condition) => condition !== undefined);
}
