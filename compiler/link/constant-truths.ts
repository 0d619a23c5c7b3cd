import { append } from '../append.js';
import type { CallExpr, Expr, LiteralExpr } from '../ast/expr.js';
import { children } from '../ast/visit.js';

/**
 * The subexpressions that are true or false whatever the request: literals, comparisons of literals, and the `!`, `&&`,
 * `||`, ternaries and `in []` they decide. The reference removes these before it looks for references
 * (docs/spec/policy-language.md#identifiers).
 */
export function constantTruths(expr: Expr): ReadonlyMap<Expr, boolean> {
  const truths = new Map<Expr, boolean>();
  for (const node of bottomUp(expr)) {
    const truth = truthOf(node, truths);
    if (truth !== undefined) truths.set(node, truth);
  }
  return truths;
}

/** All nodes, children before parents. */
function bottomUp(expr: Expr): readonly Expr[] {
  const nodes: Expr[] = [];
  const pending: Expr[] = [expr];
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    nodes.push(node);
    append(pending, children(node));
  }
  return nodes.reverse();
}

function truthOf(node: Expr, truths: ReadonlyMap<Expr, boolean>): boolean | undefined {
  if (node.kind === 'literal') return node.type === 'bool' ? node.value : undefined;
  if (node.kind !== 'call' || !node.isOperator) return undefined;
  const known = node.args.map((arg) => truths.get(arg));
  switch (node.function) {
    case '!_':
      return known[0] === undefined ? undefined : !known[0];
    case '_&&_':
      return known.includes(false) ? false : known.includes(undefined) ? undefined : true;
    case '_||_':
      return known.includes(true) ? true : known.includes(undefined) ? undefined : false;
    case '_?_:_':
      return known[0] === undefined ? undefined : known[0] ? known[1] : known[2];
    case '@in':
      return node.args[1]?.kind === 'list' && node.args[1].elements.length === 0 ? false : undefined;
    default:
      return comparisonOf(node);
  }
}

/** A comparison of two literals of one type. */
function comparisonOf(node: CallExpr): boolean | undefined {
  const [left, right] = node.args;
  if (left?.kind !== 'literal' || right?.kind !== 'literal' || left.type !== right.type) return undefined;
  if (node.function === '_==_') return isSimple(left) ? left.value === right.value : undefined;
  if (node.function === '_!=_') return isSimple(left) ? left.value !== right.value : undefined;
  if (left.type !== 'int' && left.type !== 'uint' && left.type !== 'double') return undefined;
  return ordered(node.function, left.value, right.value as bigint | number);
}

function isSimple(literal: LiteralExpr): boolean {
  return literal.type !== 'bytes';
}

function ordered(operator: string, left: bigint | number, right: bigint | number): boolean | undefined {
  if (operator === '_<_') return left < right;
  if (operator === '_<=_') return left <= right;
  if (operator === '_>_') return left > right;
  if (operator === '_>=_') return left >= right;
  return undefined;
}
