import type { SchemaReference } from '../policy/index.js';
import { allOf } from '../residual/condition.js';
import { simplify } from '../residual/simplify.js';
import { type Condition, isKnown, getResult, type Term } from '../residual/term.js';
import { Place } from '../../packages/json-schema/place.js';
import { Run, type Schema as Validator } from '../../packages/json-schema/run.js';
import type { TypeName } from '../../packages/json-schema/json.js';
import { unsayable } from './logic.js';

/**
 * A JSON schema of `packages/json-schema` that can also be planned
 * (docs/spec/plans.md#schemas-in-plans).
 */
export type Schema = Validator & { readonly where: Where };

/**
 * Where a value that can be read satisfies a schema. Built of `and`, `or` and terms without a two-valued `not`, so that
 * an unplannable part selects nothing, wherever it is. If the value cannot be read, the result is undefined.
 */
export type Where = (value: Term, asked: Asked) => Condition;

/** What is known where a part of a schema is planned. */
export interface Asked {
  /** The type of the value, if the schema object around has tested it. */
  readonly type: TypeName | undefined;
  /** What the selected rows satisfy anyway: the condition of the policies. */
  readonly facts: Condition;
  /** Whether the condition is under no negation: a failing term may then replace a false one. */
  readonly isPositive: boolean;
  /** The number of schema objects around. */
  readonly objects: number;
  /** The number of lambdas around. */
  readonly depth: number;
  /** The schemas whose references are being followed. */
  readonly followed: readonly Validator[];
  readonly work: Work;
}

interface Work {
  left: number;
  /**
   * Whether schema objects nest more deeply than the validator follows. It then accepts nothing, even if another branch
   * would.
   */
  isTooDeep: boolean;
}

/** A validator with a plan for unknown values. A known value is validated. */
export function plannable(validator: Validator, where: Where): Schema {
  return Object.assign(validator, {
    where: (value: Term, asked: Asked): Condition => {
      asked.work.left -= 1;
      if (asked.work.left < 0) return unsayable('a schema that is too long for a filter');
      return isKnown(value) ? isValid(validator, getResult(value)) : where(value, asked);
    },
  });
}

/** Whether a known value satisfies a schema. */
export function isValid(validator: Validator, value: unknown): boolean {
  const run = new Run();
  return validator(value, Place.root(), run) && run.violations().length === 0;
}

/** The rows whose attributes satisfy a schema, for the reference of a policy. */
export function rowsThatSatisfy(schema: Schema): NonNullable<SchemaReference['where']> {
  return ({ attributes }, facts) => {
    const asked: Asked = {
      type: 'object',
      facts,
      isPositive: true,
      objects: 0,
      depth: 0,
      followed: [schema],
      work: { left: MOST_WORK, isTooDeep: false },
    };
    const condition = schema.where(attributes, asked);
    return asked.work.isTooDeep ? unsayable('a schema that nests too deeply') : simplify(allOf(condition));
  };
}

/** The depth of nested schemas, however often a reference repeats them. */
const MOST_WORK = 2000;
