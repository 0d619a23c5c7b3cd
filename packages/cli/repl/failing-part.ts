import type { Expr, IdentExpr, MacroExpr } from '../../cel/ast/expr.js';
import { children } from '../../cel/ast/visit.js';
import { checkExpression } from '../../cel/check/check-expression.js';
import { policyEnvironment } from '../../cel/check/environment.js';
import * as types from '../../cel/library/types.js';
import { isFailure, kindOf, type Value } from '../../cel/runtime/index.js';
import { evaluate, type Surroundings } from '../../../compiler/evaluate.js';
import { compileTree, type ExpressionProblem } from './compile-expression.js';

/**
 * The innermost part of an expression that cannot be evaluated, with the message of the compiler for operands of the
 * types that its values have: the evaluation alone says `no such overload`, and neither where nor why.
 *
 * @param message the failure of the evaluation, which stays if the types are not its cause.
 */
export function explainFailure(ast: Expr, message: string, within: Surroundings): ExpressionProblem {
  const parts = listOperands(ast);
  const values = new Map<Expr, Value>();
  for (const part of parts) {
    const compiled = compileTree(part, within.locals.keys());
    // Names of functions, such as `math` of `math.abs(x)`, have no value.
    if (compiled.kind === 'invalid') continue;
    const value = evaluate(compiled.value, within);
    if (isFailure(value)) return explainFailure(part, value?.message ?? message, within);
    values.set(part, value);
  }
  const { start, end } = ast;
  return typeProblem(ast, values) ?? { message, start, end };
}

/** The parts that are evaluated before an expression, other than those under the variable of a macro. */
function listOperands(ast: Expr): readonly Expr[] {
  if (ast.kind !== 'macro') return children(ast);
  const { macro, range, args } = ast satisfies MacroExpr;
  return [...(macro === 'has' || range === undefined ? [] : [range]), ...args];
}

/** The first problem that the compiler would have with the expression if it knew the types of the operands. */
function typeProblem(ast: Expr, values: ReadonlyMap<Expr, Value>): ExpressionProblem | undefined {
  const names = new Map(policyEnvironment.names);
  const nameFor = (part: Expr): Expr => {
    const value = values.get(part);
    if (value === undefined) return part;
    // Advice may repeat the name.
    const name = part.kind === 'ident' ? part.name : `value${names.size}`;
    names.set(name, { type: typeOfValue(value), reference: { kind: 'local', name } });
    return { kind: 'ident', name, rooted: false, start: part.start, end: part.end } satisfies IdentExpr;
  };
  const named = withOperands(ast, nameFor);
  return named === undefined ? undefined : checkExpression(named, { ...policyEnvironment, names }).problems[0];
}

/** The expression with other operands; undefined if it has none whose types matter. */
function withOperands(ast: Expr, change: (part: Expr) => Expr): Expr | undefined {
  switch (ast.kind) {
    case 'call':
      return { ...ast, target: ast.target && change(ast.target), args: ast.args.map(change) };
    case 'index':
      return { ...ast, operand: change(ast.operand), index: change(ast.index) };
    case 'select':
      return { ...ast, operand: change(ast.operand) };
    case 'macro':
      return ast.range === undefined ? undefined : { ...ast, range: change(ast.range) };
    case 'ident':
    case 'literal':
    case 'list':
    case 'map':
    case 'message':
      return undefined;
  }
}

function typeOfValue(value: Value): types.CelType {
  const kind = kindOf(value);
  switch (kind) {
    case 'list':
      return types.listType(types.dyn);
    case 'map':
      return types.mapType(types.string, types.dyn);
    case 'optional':
    case 'message':
    case 'opaque':
    case 'type':
      return types.dyn;
    case 'null':
    case 'bool':
    case 'int':
    case 'uint':
    case 'double':
    case 'string':
    case 'bytes':
    case 'timestamp':
    case 'duration':
      return { kind };
  }
}
