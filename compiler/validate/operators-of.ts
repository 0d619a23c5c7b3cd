import type { CheckedExpression, Types } from '../ast/checked.js';
import type { CallExpr, Expr } from '../ast/expr.js';
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

/** An operator in a tree, which expressions of one text share. */
type Use = Pick<OperatorUse, 'node' | 'operands'>;

/** The operators of every expression that is compiled, in source order: those of which something is to be said. */
export function operatorsOf(
  policies: PolicySet,
  types: Types,
  isSuspect: (use: Use) => boolean,
): readonly OperatorUse[] {
  const known = new Map<Expr, readonly Use[]>();
  const found: OperatorUse[] = [];
  for (const expression of expressionsOf(policies)) {
    const { ast } = expression;
    const checked = types.get(expression);
    if (ast === undefined || checked === undefined) continue;
    const uses = known.get(ast) ?? operatorsIn(ast, checked).filter(isSuspect);
    known.set(ast, uses);
    for (const use of uses) found.push({ expression, ...use });
  }
  return found;
}

function operatorsIn(ast: Expr, checked: CheckedExpression): readonly Use[] {
  const found: Use[] = [];
  visit(ast, (node) => {
    if (node.kind !== 'call' || !node.isOperator) return;
    const operands = node.args.map((arg) => checked.types.get(arg));
    if (!operands.includes(undefined)) found.push({ node, operands: operands as CelType[] });
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
