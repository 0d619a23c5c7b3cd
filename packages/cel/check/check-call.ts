import type { CallExpr, MacroExpr } from '../ast/expr.js';
import type { CelFunction, Overload } from '../library/function.js';
import { type CelType, dyn, errorType } from '../library/types.js';
import { adviseMismatch } from './advice.js';
import { type Checking, type Locals, report } from './checking.js';
import { qualifiedName, reportUndeclaredFunction } from './names.js';
import { operatorOverloads } from './operators.js';
import { mapParts, listParts } from '../library/type-parts.js';
import { printArguments, sameType } from './type-algebra.js';

/**
 * Checks an operator, a function, a method or a namespaced function (docs/spec/conditions.md#overload-resolution,
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
  // Sorted by the position of the parenthesis: after the receiver, before the arguments.
  const at = expr.nameStart + expr.function.length;
  const rows = functionsNamed(checking, name);
  if (rows === undefined) {
    const [first] = expr.args;
    if (form === 'member' && first?.kind === 'ident') checking.macroVariables.add(first.name);
    reportUndeclaredFunction(checking, name, expr, at, form === 'member' ? given[0] : undefined);
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

// A leading dot only skips local variables, which are never functions.
function functionsNamed(checking: Checking, name: string): readonly CelFunction[] | undefined {
  return checking.environment.functions.get(name.startsWith('.') ? name.slice(1) : name);
}

/** A call to resolve: the types of its arguments, receiver first, and where a mismatch is reported. */
export interface Application {
  readonly name: string;
  readonly form: 'global' | 'member';
  readonly arguments: readonly CelType[];
  readonly start: number;
  readonly end: number;
  readonly at: number;
}

/**
 * The result type of a call: that of the matching overloads, or dyn if they differ
 * (docs/spec/conditions.md#overload-resolution). If no overload matches, reports a problem and returns a type that
 * suppresses follow-up problems.
 */
export function resolve(checking: Checking, application: Application, overloads: readonly Overload[]): CelType {
  const { inference } = checking;
  let result: CelType | undefined;
  for (const overload of overloads) {
    if (overload.form !== application.form) continue;
    const instance = instantiate(overload, () => inference.freshParameter());
    if (!inference.assignableAll(application.arguments, instance.parameters)) continue;
    const type = inference.substitute(instance.result);
    if (result === undefined) result = type;
    else if (!sameType(result, type)) result = dyn;
  }
  if (result !== undefined) return result;
  const types = application.arguments.map((type) => inference.substitute(type));
  const { name, form, start, end, at } = application;
  report(checking, {
    message: `found no matching overload for '${name}' applied to '${printArguments(types, form)}'`,
    start,
    end,
    at,
    hints: () => adviseMismatch(name, form, types, overloads),
  });
  return errorType;
}

// Each use of a signature gets fresh type parameters.
function instantiate(overload: Overload, fresh: () => CelType): Pick<Overload, 'parameters' | 'result'> {
  const types = [...overload.parameters, overload.result];
  if (!types.some(hasParameter)) return overload;
  const named = new Map<string, CelType>();
  const own = (type: CelType): CelType => {
    if (type.kind !== 'parameter') return mapParts(type, own);
    const known = named.get(type.name) ?? fresh();
    named.set(type.name, known);
    return known;
  };
  return { parameters: overload.parameters.map(own), result: own(overload.result) };
}

function hasParameter(type: CelType): boolean {
  return type.kind === 'parameter' || listParts(type).some(hasParameter);
}

/**
 * Checks a call in the expansion of a macro. Its problems are reported where the macro's arguments begin
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
