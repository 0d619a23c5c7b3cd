import type { Types } from '../ast/checked.js';
import type { PolicySet } from '../ast/policy-set.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { withoutRepeats } from '../diagnostics/problems.js';
import { validations, warnings } from './validations.js';

/**
 * Judges linked policies: reports what is wrong and gives the side tables of all valid expressions. The policies are
 * untouched. Warnings are looked for only when nothing is wrong: where something is missing, much of the rest looks
 * unused.
 */
export function validate(policies: PolicySet, report: Diagnostics): Types {
  const types: Types = new Map(validations.flatMap((validation) => [...validation(policies, report)]));
  if (report.hasErrors) return types;
  const once = withoutRepeats(report);
  for (const warn of warnings) warn(policies, types, once);
  return types;
}
