import type { Expr } from '../../cel/ast/expr.js';
import { dyn } from '../../cel/library/types.js';
import type { Value } from '../../../compiler/ir/value.js';
import type { Note } from '../../../compiler/diagnostics/diagnostic.js';
import { lowerValue } from '../../../compiler/lower/values.js';
import { foldValue } from '../../../compiler/optimise/constants.js';
import { parseCel } from '../../cel/parse/index.js';
import { checkExpression } from '../../cel/check/check-expression.js';
import { policyEnvironment } from '../../cel/check/environment.js';

/** The error in an expression, and its position in the source text. */
export interface ExpressionProblem {
  readonly message: string;
  readonly start: number;
  readonly end: number;
  readonly hints?: () => readonly Note[];
  readonly advice?: readonly { readonly message: string }[];
}

export type CompiledExpression =
  | { readonly kind: 'value'; readonly ast: Expr; readonly value: Value }
  | { readonly kind: 'invalid'; readonly problems: readonly ExpressionProblem[] };

/** Additional names that an expression may refer to, beside those of every condition; they can hold any value. */
export type LocalNames = Iterable<string>;

/** Parses, checks, lowers and folds an expression, as the compiler stages do for a policy. */
export function compileExpression(text: string, locals: LocalNames): CompiledExpression {
  const { ast, errors } = parseCel(text);
  if (ast === undefined) return { kind: 'invalid', problems: errors };
  return compileTree(ast, locals);
}

/** The same for a parsed expression. */
export function compileTree(ast: Expr, locals: LocalNames = []): CompiledExpression {
  const names = new Map(policyEnvironment.names);
  for (const name of locals) names.set(name, { type: dyn, reference: { kind: 'local', name } });
  const { problems, ...checked } = checkExpression(ast, { ...policyEnvironment, names });
  if (problems.length > 0) return { kind: 'invalid', problems };
  return { kind: 'value', ast, value: foldValue(lowerValue(ast, checked)) };
}

/** Whether conditions already define a name. */
export function isDeclared(name: string): boolean {
  return policyEnvironment.names.has(name);
}
