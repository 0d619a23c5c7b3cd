import { beside, satisfies } from './apply.js';
import type { Schema } from './run.js';

/** `allOf`. */
export function allOf(...schemas: readonly Schema[]): Schema {
  return (value, place, run) => {
    let valid = true;
    for (const schema of schemas) {
      if (!beside(schema, value, place, run)) valid = false;
    }
    return valid;
  };
}

/**
 * `anyOf`: reports the violations of every branch if none is satisfied. All branches are applied, as each may evaluate
 * other members.
 */
export function anyOf(...schemas: readonly Schema[]): Schema {
  return (value, place, run) => {
    const mark = run.mark;
    let matched = false;
    for (const schema of schemas) {
      if (beside(schema, value, place, run)) matched = true;
    }
    if (matched) run.forget(mark);
    return matched;
  };
}

/** `oneOf`: reports the violations of every branch if none is satisfied. */
export function oneOf(...schemas: readonly Schema[]): Schema {
  return (value, place, run) => {
    const mark = run.mark;
    let matched: number | undefined;
    for (const [index, schema] of schemas.entries()) {
      if (!beside(schema, value, place, run)) continue;
      if (matched !== undefined) {
        run.forget(mark);
        return run.report(place, `valid against schemas at indexes ${matched} and ${index}`);
      }
      matched = index;
    }
    if (matched !== undefined) run.forget(mark);
    return matched !== undefined;
  };
}

/** `not`. */
export function not(schema: Schema): Schema {
  return (value, place, run) => !satisfies(schema, value, place, run) || run.report(place, 'not failed');
}

/** `if`, `then` and `else`. */
export function ifThen(branches: { readonly if: Schema; readonly then?: Schema; readonly else?: Schema }): Schema {
  return (value, place, run) => {
    const branch = satisfies(branches.if, value, place, run) ? branches.then : branches.else;
    return branch === undefined || beside(branch, value, place, run);
  };
}
