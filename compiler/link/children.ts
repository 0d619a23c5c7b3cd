import type { Expr } from '../ast/expr.js';

/** The expressions directly inside an expression, in the order of the text. */
export function childrenOf(expr: Expr): readonly Expr[] {
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
      return expr.elements.map((element) => element.value);
    case 'map':
      return expr.entries.flatMap((entry) => [entry.key, entry.value]);
    case 'message':
      return expr.fields.map((field) => field.value);
    case 'macro':
      return [expr.range, ...expr.args, expr.predicate, expr.body].filter((child) => child !== undefined);
  }
}
