import { allOf as every, anyOf as some } from '../residual/condition.js';
import type { Condition } from '../residual/term.js';
import * as validator from '../../packages/json-schema/index.js';
import { negated, unsayable } from './logic.js';
import { type Asked, plannable, type Schema } from './schema.js';

/** `allOf`. */
export function allOf(...schemas: readonly Schema[]): Schema {
  return plannable(validator.allOf(...schemas), (value, asked) =>
    every(...schemas.map((schema) => schema.where(value, asked))),
  );
}

/** `anyOf`. */
export function anyOf(...schemas: readonly Schema[]): Schema {
  return plannable(validator.anyOf(...schemas), (value, asked) =>
    some(...schemas.map((schema) => schema.where(value, asked))),
  );
}

/** Each branch of a `oneOf` is written beside all others. */
const MOST_BRANCHES = 12;

/** `oneOf`: a branch, and none of the others. */
export function oneOf(...schemas: readonly Schema[]): Schema {
  return plannable(validator.oneOf(...schemas), (value, asked) => {
    if (schemas.length > MOST_BRANCHES)
      return unsayable(`the schema keyword oneOf with more than ${MOST_BRANCHES} schemas`);
    const branches = schemas.map((schema) => schema.where(value, whollySaid(asked)));
    return some(
      ...branches.map((branch, index) =>
        every(branch, ...branches.map((other, position) => position === index || negated(other))),
      ),
    );
  });
}

/** `not`. */
export function not(schema: Schema): Schema {
  return plannable(validator.not(schema), (value, asked) => negated(schema.where(value, whollySaid(asked))));
}

/** `if`, `then` and `else`. */
export function ifThen(branches: { readonly if: Schema; readonly then?: Schema; readonly else?: Schema }): Schema {
  return plannable(validator.ifThen(branches), (value, asked) => {
    const condition = branches.if.where(value, whollySaid(asked));
    const branch = (schema: Schema | undefined): Condition => schema === undefined || schema.where(value, asked);
    return every(some(negated(condition), branch(branches.then)), some(condition, branch(branches.else)));
  });
}

/** The question about a condition whose negation counts. */
function whollySaid(asked: Asked): Asked {
  return { ...asked, isPositive: false };
}
