import type { Expr, MacroExpr } from '../../ast/expr.js';
import { bool, type CelType, dyn, listOf, optionalOf } from '../../cel/types.js';
import { invariant } from '../../diagnostics/invariant.js';
import { checkField } from './check-select.js';
import type { Checking, Locals } from './checking.js';
import { checkComprehension } from './check-comprehension.js';
import { applyStep } from './macro-steps.js';

/**
 * A macro: its parts are checked as the expansion that CEL defines for it would be (docs/spec/conditions.md#macros,
 * docs/spec/conditions.md#compile-time-messages).
 */
export function checkMacro(checking: Checking, expr: MacroExpr, locals: Locals): CelType {
  switch (expr.macro) {
    case 'has':
      return checkHas(checking, partOf(expr.range), locals);
    case 'all':
    case 'exists':
    case 'exists_one':
    case 'filter':
    case 'map':
    case 'transformList':
    case 'transformMap':
    case 'transformMapEntry':
      return checkComprehension(checking, expr, locals);
    case 'sortBy':
      return checkSortBy(checking, expr, locals);
    case 'cel.bind':
      return checkBind(checking, expr, checking.check(checking, partOf(expr.range), locals), locals);
    case 'optMap':
    case 'optFlatMap':
      return checkOptMap(checking, expr, locals);
    case 'math.greatest':
    case 'math.least':
      return checkExtremum(checking, expr, locals);
  }
}

function checkHas(checking: Checking, field: Expr, locals: Locals): CelType {
  if (field.kind === 'select') checking.types.set(field, checkField(checking, field, locals));
  return bool;
}

function checkBind(checking: Checking, expr: MacroExpr, type: CelType, locals: Locals): CelType {
  const name = expr.variables[0] ?? '';
  const local = { name, type: checking.inference.substitute(type), outer: locals };
  return checking.inference.substitute(checking.check(checking, partOf(expr.body), local));
}

// The list is sorted by the list of keys, one for each element.
function checkSortBy(checking: Checking, expr: MacroExpr, locals: Locals): CelType {
  const keys = checkComprehension(checking, { ...expr, macro: 'map' }, locals);
  const list = checking.types.get(partOf(expr.range)) ?? dyn;
  return applyStep(checking, expr, '@sortByAssociatedKeys', [list, keys], 'member');
}

// `x.optMap(v, e)` is `x.hasValue() ? optional.of(e with v bound to x.value()) : optional.none()`.
function checkOptMap(checking: Checking, expr: MacroExpr, locals: Locals): CelType {
  const receiver = checking.check(checking, partOf(expr.range), locals);
  const isPresent = applyStep(checking, expr, 'hasValue', [receiver], 'member');
  const value = applyStep(checking, expr, 'value', [receiver], 'member');
  const body = checkBind(checking, expr, value, locals);
  const mapped = expr.macro === 'optMap' ? optionalOf(body) : body;
  const none = optionalOf(checking.inference.freshParameter());
  return applyStep(checking, expr, '_?_:_', [isPresent, mapped, none]);
}

// Three or more arguments are one list of them.
function checkExtremum(checking: Checking, expr: MacroExpr, locals: Locals): CelType {
  const { inference } = checking;
  const types = expr.args.map((arg) => checking.check(checking, arg, locals));
  const given = types.length <= 2 ? types : [listOf(types.reduce((joined, type) => inference.join(joined, type)))];
  return applyStep(checking, expr, expr.macro === 'math.greatest' ? 'math.@max' : 'math.@min', given);
}

function partOf(part: Expr | undefined): Expr {
  return part ?? invariant('a macro without the part its name promises');
}
