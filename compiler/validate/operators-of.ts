import type { CheckedExpression, Types } from '../ast/checked.js';
import type { CallExpr } from '../ast/expr.js';
import { visit } from '../ast/visit.js';
import type { Expression } from '../ast/policy.js';
import type { PolicySet } from '../ast/policy-set.js';
import type { CelType } from '../cel/types.js';
import { expressionsOf } from './expressions-of.js';

/** A use of an operator, with what its operands certainly are. */
export interface OperatorUse {
  readonly expression: Expression;
  readonly node: CallExpr;
  readonly operands: readonly CelType[];
}

/** Every operator of every expression that is compiled, in source order. */
export function operatorsOf(policies: PolicySet, types: Types): readonly OperatorUse[] {
  return [...expressionsOf(policies)].flatMap((expression) => operatorsIn(expression, types.get(expression)));
}

function operatorsIn(expression: Expression, checked: CheckedExpression | undefined): readonly OperatorUse[] {
  const found: OperatorUse[] = [];
  if (expression.ast === undefined || checked === undefined) return found;
  visit(expression.ast, (node) => {
    if (node.kind !== 'call' || !node.isOperator) return;
    const operands = node.args.map((arg) => checked.types.get(arg));
    if (!operands.includes(undefined)) found.push({ expression, node, operands: operands as CelType[] });
  });
  return found;
}

/** The text of the operand that is plain JSON, to say in a note how it is converted; `R.attr.x` where it is long. */
export function plainOperandOf({ expression, node, operands }: OperatorUse): string {
  const operand = node.args.find((_, index) => operands[index]?.kind === 'dyn');
  const text = operand === undefined ? '' : expression.text.slice(operand.start, operand.end);
  return text === '' || text.length > 40 || text.includes('\n') ? 'R.attr.x' : text;
}

/** An operator as it is written: `==` for `_==_`. */
export function signOf({ function: name }: CallExpr): string {
  return name === '@in' ? 'in' : name.replaceAll('_', '');
}
