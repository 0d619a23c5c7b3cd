import type { Expr } from '../ast/expr.js';
import { children } from '../ast/visit.js';

/**
 * The limits of docs/spec/conditions.md#size-limits: code points of the expression, nesting depth during parsing, depth
 * of the finished tree.
 */
export const maxCodePoints = 100_000;
export const maxNesting = 250;
export const maxDepth = 250;

/**
 * Whether some path through the tree has more than `maxDepth` operators, selections, index expressions and method
 * calls.
 */
export function isTooDeep(expr: Expr): boolean {
  const pending = [{ expr, depth: 0 }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const depth = next.depth + weigh(next.expr);
    if (depth > maxDepth) return true;
    for (const child of children(next.expr)) pending.push({ expr: child, depth });
  }
  return false;
}

/**
 * `&&` and `||` are exempt because their chains are balanced; `!`, unary `-` and global calls nest only by parentheses.
 */
function weigh(expr: Expr): number {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
    case 'list':
    case 'map':
    case 'message':
      return 0;
    case 'select':
    case 'index':
      return 1;
    case 'macro':
      return expr.macro === 'has' ? 0 : 1;
    case 'call':
      if (!expr.isOperator) return expr.target === undefined ? 0 : 1;
      return ['_&&_', '_||_', '!_', '-_'].includes(expr.function) ? 0 : 1;
  }
}
