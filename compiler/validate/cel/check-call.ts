import type { CallExpr } from '../../ast/expr.js';
import type { CelFunction } from '../../cel/function.js';
import { type CelType, errorType } from '../../cel/types.js';
import type { Checking, Locals } from './checking.js';
import { qualifiedName, reportUndeclaredFunction } from './names.js';
import { operatorOverloads } from './operators.js';
import { resolve } from './overloads.js';

/**
 * An operator, a function, a method or a function with a namespace (docs/spec/conditions.md#overload-resolution,
 * docs/spec/conditions.md#name-resolution).
 */
export function checkCall(checking: Checking, expr: CallExpr, locals: Locals): CelType {
  const given = expr.args.map((arg) => checking.check(checking, arg, locals));
  if (expr.isOperator) return checkOperator(checking, expr, given);
  if (expr.target === undefined)
    return checkFunction(checking, expr, expr.rooted ? `.${expr.function}` : expr.function, given);

  const namespace = qualifiedName(expr.target, locals);
  const name = `${namespace}.${expr.function}`;
  if (namespace !== undefined && checking.environment.functions.has(name))
    return checkFunction(checking, expr, name, given);

  const receiver = checking.check(checking, expr.target, locals);
  return checkFunction(checking, expr, expr.function, [receiver, ...given], 'member');
}

function checkOperator(checking: Checking, expr: CallExpr, given: readonly CelType[]): CelType {
  const { function: name, start, end, nameStart } = expr;
  return resolve(
    checking,
    { name, form: 'global', arguments: given, start, end, at: nameStart },
    operatorOverloads.get(name) ?? [],
  );
}

function checkFunction(
  checking: Checking,
  expr: CallExpr,
  name: string,
  given: readonly CelType[],
  form: 'global' | 'member' = 'global',
): CelType {
  // Sorted by the parenthesis: after the receiver, before the arguments.
  const at = expr.nameStart + expr.function.length;
  const rows = functionsNamed(checking, name);
  if (rows === undefined) {
    reportUndeclaredFunction(checking, name, expr.nameStart, at);
    return errorType;
  }
  const row = rows.find(({ overloads }) => overloads.some((overload) => overload.form === form)) ?? rows[0];
  if (row !== undefined) checking.calls.set(expr, row);
  const { start, end } = expr;
  return resolve(
    checking,
    { name: row?.name ?? name, form, arguments: given, start, end, at },
    rows.flatMap(({ overloads }) => overloads),
  );
}

// A leading dot only skips local variables, and those are never functions.
function functionsNamed(checking: Checking, name: string): readonly CelFunction[] | undefined {
  return checking.environment.functions.get(name.startsWith('.') ? name.slice(1) : name);
}
