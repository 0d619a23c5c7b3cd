import type { Types } from '../ast/checked.js';
import type { PolicySet } from '../ast/policy-set.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { validations } from './validations.js';

/** Judges linked policies: reports what is wrong and gives the side tables of all valid expressions. The policies are untouched. */
export function validate(policies: PolicySet, report: Diagnostics): Types {
  const types: Types = new Map(validations.flatMap((validation) => [...validation(policies, report)]));
  return types;
}
