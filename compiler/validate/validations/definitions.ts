import type { CheckedExpression } from '../../../packages/cel/ast/checked-expression.js';
import type { Expr } from '../../../packages/cel/ast/expr.js';
import type { Types } from '../../ast/checked.js';
import type { Bindings } from '../../ast/policy-set.js';
import type { Place } from '../../diagnostics/span.js';

/** The text that a name stands for, and where it is defined. */
export interface Definition {
  readonly name: string;
  readonly text: string;
  readonly place: Place;
}

/** The text that an expression names, through any number of variables; undefined if it names none. */
export function findDefinition(
  named: Expr,
  checked: CheckedExpression,
  bindings: Bindings,
  types: Types,
): Definition | undefined {
  const reference = checked.references.get(named);
  if (reference?.kind === 'constant') {
    const constant = bindings.constants.get(reference.name);
    return typeof constant?.value === 'string'
      ? { name: `C.${reference.name}`, text: constant.value, place: constant.place }
      : undefined;
  }
  if (reference?.kind !== 'variable') return undefined;
  const { expression } = bindings.variables.get(reference.name) ?? {};
  if (expression?.ast === undefined) return undefined;
  const { ast, place } = expression;
  if (ast.kind === 'literal' && ast.type === 'string') return { name: `V.${reference.name}`, text: ast.value, place };
  // A variable that is another name for a constant or variable. Cycles were refused.
  const own = types.get(expression);
  return own && findDefinition(ast, own, bindings, types);
}
