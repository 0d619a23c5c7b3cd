import type { MacroExpr } from '../../ast/expr.js';
import type { CelType } from '../../cel/types.js';
import type { Checking } from './checking.js';
import { operatorOverloads } from './operators.js';
import { resolve } from './overloads.js';

/**
 * A call in the expansion of a macro. What is wrong with it is reported where the macro's arguments begin
 * (docs/spec/conditions.md#compile-time-messages).
 */
export function applyStep(
  checking: Checking,
  expr: MacroExpr,
  name: string,
  given: readonly CelType[],
  form: 'global' | 'member' = 'global',
): CelType {
  const overloads =
    operatorOverloads.get(name) ?? checking.environment.functions.get(name)?.flatMap((row) => row.overloads) ?? [];
  const at = expr.nameStart + expr.macro.length;
  return resolve(checking, { name, form, arguments: given, start: expr.start, end: expr.end, at }, overloads);
}
