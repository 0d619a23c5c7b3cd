import type { Types } from '../ast/checked.js';
import type { PolicySet } from '../ast/policy-set.js';
import type { Diagnostics } from '../diagnostics/diagnostic.js';
import { checkExpressions } from './validations/expressions.js';

/** One thing that is judged. It reports, and gives the side tables it worked out, if any. */
export type Validation = (policies: PolicySet, report: Diagnostics) => Types;

/** All validations, in the order they report in. */
export const validations: readonly Validation[] = [checkExpressions];
