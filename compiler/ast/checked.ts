import type { CheckedExpression } from '../../packages/cel/ast/checked-expression.js';
import type { Expression } from './policy.js';

/** The checker's results for every valid expression: the output of `validate` and input of `lower`. */
export type Types = ReadonlyMap<Expression, CheckedExpression>;
