import type { Expr } from './expr.js';

/** The direct sub-expressions of a node, in source order. */
export function children(expr: Expr): readonly Expr[] {
  switch (expr.kind) {
    case 'literal':
    case 'ident':
      return [];
    case 'select':
      return [expr.operand];
    case 'index':
      return [expr.operand, expr.index];
    case 'call':
      return expr.target === undefined ? expr.args : [expr.target, ...expr.args];
    case 'list':
      return expr.elements.map(({ value }) => value);
    case 'map':
      return expr.entries.flatMap(({ key, value }) => [key, value]);
    case 'message':
      return expr.fields.map(({ value }) => value);
    case 'macro':
      return [expr.range, expr.predicate, expr.body, ...expr.args].filter((child) => child !== undefined);
  }
}

/**
 * Calls `enter` for a node and all below it, parents first, in source order. Uses an explicit stack, so depth is not
 * limited.
 */
export function visit(expr: Expr, enter: (expr: Expr) => void): void {
  const pending = [expr];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    enter(next);
    const below = children(next);
    for (let i = below.length - 1; i >= 0; i--) {
      const child = below[i];
      if (child !== undefined) pending.push(child);
    }
  }
}
