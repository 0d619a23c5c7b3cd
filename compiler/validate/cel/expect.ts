import type { Expr } from '../../ast/expr.js';
import { type CelType, dyn, optionalOf } from '../../cel/types.js';
import { type Checking, type Locals, report } from './checking.js';
import { printOpenType } from './print-types.js';
import { isDynamic } from './type-algebra.js';

/** Whether the type stands for the expected one; reports when it does not. */
export function expectType(checking: Checking, expected: CelType, found: CelType, expr: Expr): boolean {
  if (checking.inference.assignable(found, expected)) return true;
  const { start, end } = expr;
  const message = `expected type '${printOpenType(expected)}' but found '${printOpenType(checking.inference.substitute(found))}'`;
  report(checking, { message, start, end, at: start });
  return false;
}

/**
 * The type of an element, entry or field. `?x` puts in what the optional holds
 * (docs/spec/conditions.md#optional-values).
 */
export function entryType(checking: Checking, value: Expr, optional: boolean, locals: Locals): CelType {
  const type = checking.check(checking, value, locals);
  if (!optional) return type;
  const found = checking.inference.substitute(type);
  if (found.kind === 'optional') return found.value;
  if (isDynamic(found)) return dyn;
  expectType(checking, optionalOf(found), found, value);
  return found;
}
