import * as cel from '#runtime/cel';
import type { CallExpr, Expr, LiteralExpr } from '../ast/expr.js';
import { visit } from '../ast/visit.js';

/**
 * What an expression is whatever the request, when that can be told from literals and operators alone
 * (docs/spec/conditions.md#logical-operators, docs/spec/conditions.md#constant-folding). Undefined when it depends on
 * the request, and when it fails.
 */
export function constantValueOf(expr: Expr): cel.Value | undefined {
  const known = cache.get(expr) ?? { value: findValue(expr) };
  cache.set(expr, known);
  return known.value;
}

// Expressions of one text share their tree; trees never change, and entries go with them.
const cache = new WeakMap<Expr, { readonly value: cel.Value | undefined }>();

function findValue(expr: Expr): cel.Value | undefined {
  const nodes: Expr[] = [];
  visit(expr, (node) => nodes.push(node));
  const values = new Map<Expr, cel.Value>();
  // Children before parents, with a list of our own: an expression may be deeper than the call stack.
  for (const node of nodes.reverse()) {
    const value = valueOf(node, values);
    if (value !== undefined) values.set(node, value);
  }
  return values.get(expr);
}

type Values = ReadonlyMap<Expr, cel.Value>;

function valueOf(node: Expr, values: Values): cel.Value | undefined {
  if (node.kind === 'literal') return literalValue(node);
  if (node.kind === 'list') {
    const elements = node.elements.map(({ value, optional }) => (optional ? undefined : values.get(value)));
    return elements.includes(undefined) ? undefined : (elements as cel.Value[]);
  }
  return node.kind === 'call' && node.isOperator ? operation(node, values) : undefined;
}

function literalValue(node: LiteralExpr): cel.Value {
  return node.type === 'uint' ? new cel.Uint(node.value) : node.value;
}

function operation(node: CallExpr, values: Values): cel.Value | undefined {
  const operands = node.args.map((arg) => values.get(arg));
  const [first, second, third] = operands;
  switch (node.function) {
    case '_&&_':
      if (operands.includes(false)) return false;
      return first === true && second === true ? true : undefined;
    case '_||_':
      if (operands.includes(true)) return true;
      return first === false && second === false ? false : undefined;
    case '_?_:_':
      if (first === true) return second;
      return first === false ? third : undefined;
    case '@in':
      if (isEmptyList(node.args[1])) return false;
  }
  const run = OPERATORS.get(node.function);
  if (run === undefined || operands.includes(undefined)) return undefined;
  const result = run(first as cel.Value, second as cel.Value);
  return cel.isFailure(result) ? undefined : result;
}

function isEmptyList(node: Expr | undefined): boolean {
  return node?.kind === 'list' && node.elements.length === 0;
}

/** Of a unary operator the second operand is nothing that is looked at. */
const OPERATORS: ReadonlyMap<string, (first: cel.Result, second: cel.Result) => cel.Result> = new Map([
  ['!_', cel.not],
  ['-_', cel.negate],
  ['_==_', cel.equals],
  ['_!=_', cel.notEquals],
  ['_<_', cel.lessThan],
  ['_<=_', cel.atMost],
  ['_>_', cel.greaterThan],
  ['_>=_', cel.atLeast],
  ['_+_', cel.add],
  ['_-_', cel.subtract],
  ['_*_', cel.multiply],
  ['_/_', cel.divide],
  ['_%_', cel.modulo],
  ['@in', cel.inCollection],
]);
