import type { Expr, MacroExpr } from '../ast/expr.js';
import { bool, type CelType, dyn, errorType, int, json, listType, mapType, optionalType } from '../library/types.js';
import { applyStep } from './check-call.js';
import { checkField } from './check-select.js';
import { type Checking, expectType, type Locals, report } from './checking.js';
import { printOpenType } from './type-algebra.js';

/**
 * Checks the parts of a macro as CEL's expansion of it would be checked (docs/spec/conditions.md#macros,
 * docs/spec/conditions.md#compile-time-messages).
 */
export function checkMacro(checking: Checking, expr: MacroExpr, locals: Locals): CelType {
  switch (expr.macro) {
    case 'has':
      return checkHas(checking, requirePart(expr.range), locals);
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
      return checkBind(checking, expr, checking.check(checking, requirePart(expr.range), locals), locals);
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
  return checking.inference.substitute(checking.check(checking, requirePart(expr.body), local));
}

// The list is sorted by a list of keys, one for each element.
function checkSortBy(checking: Checking, expr: MacroExpr, locals: Locals): CelType {
  const keys = checkComprehension(checking, { ...expr, macro: 'map' }, locals);
  const list = checking.types.get(requirePart(expr.range)) ?? dyn;
  return applyStep(checking, expr, '@sortByAssociatedKeys', [list, keys], 'member');
}

// `x.optMap(v, e)` is `x.hasValue() ? optional.of(e with v bound to x.value()) : optional.none()`.
function checkOptMap(checking: Checking, expr: MacroExpr, locals: Locals): CelType {
  const receiver = checking.check(checking, requirePart(expr.range), locals);
  const isPresent = applyStep(checking, expr, 'hasValue', [receiver], 'member');
  const value = applyStep(checking, expr, 'value', [receiver], 'member');
  const body = checkBind(checking, expr, value, locals);
  const mapped = expr.macro === 'optMap' ? optionalType(body) : body;
  const none = optionalType(checking.inference.freshParameter());
  return applyStep(checking, expr, '_?_:_', [isPresent, mapped, none]);
}

// Three or more arguments are passed as one list.
function checkExtremum(checking: Checking, expr: MacroExpr, locals: Locals): CelType {
  const { inference } = checking;
  const types = expr.args.map((arg) => checking.check(checking, arg, locals));
  const given = types.length <= 2 ? types : [listType(types.reduce((joined, type) => inference.join(joined, type)))];
  return applyStep(checking, expr, expr.macro === 'math.greatest' ? 'math.@max' : 'math.@min', given);
}

function requirePart(part: Expr | undefined): Expr {
  return part ?? malformed('a macro without the part its name promises');
}

/**
 * The macros that iterate over a list or a map, with one or two variables (docs/spec/conditions.md#macros,
 * docs/spec/conditions.md#comprehensions).
 */
function checkComprehension(checking: Checking, expr: MacroExpr, locals: Locals): CelType {
  const variables = variableTypes(checking, expr, locals);
  const inner = expr.variables.reduce<Locals>((outer, name, i) => ({ name, type: variables[i] ?? dyn, outer }), locals);
  const predicate = expr.predicate === undefined ? undefined : checking.check(checking, expr.predicate, inner);
  const body = requireBody(expr);
  const type = checking.check(checking, body, inner);
  return checking.inference.substitute(resultType(checking, expr, { predicate, body, type, variables }));
}

interface Parts {
  readonly predicate: CelType | undefined;
  readonly body: Expr;
  readonly type: CelType;
  readonly variables: readonly CelType[];
}

function resultType(checking: Checking, expr: MacroExpr, { predicate, body, type, variables }: Parts): CelType {
  switch (expr.macro) {
    case 'all':
    case 'exists':
      expectType(checking, bool, type, body);
      return bool;
    case 'exists_one':
      applyStep(checking, expr, '_?_:_', [type, int, int]);
      return bool;
    case 'filter':
      return gather(checking, expr, { predicate: type, element: variables[0] ?? dyn });
    case 'map':
    case 'transformList':
      return gather(checking, expr, { predicate, element: type });
    case 'transformMap':
      return insert(checking, expr, { predicate, given: [variables[0] ?? dyn, type] });
    case 'transformMapEntry':
      return insert(checking, expr, { predicate, given: [type] });
    case 'has':
    case 'sortBy':
    case 'cel.bind':
    case 'optMap':
    case 'optFlatMap':
    case 'math.greatest':
    case 'math.least':
      return malformed(`${expr.macro} does not walk a range`);
  }
}

// Each step appends one element to a list if the predicate holds.
function gather(
  checking: Checking,
  expr: MacroExpr,
  step: { readonly predicate: CelType | undefined; readonly element: CelType },
): CelType {
  const soFar = listType(checking.inference.freshParameter());
  const longer = applyStep(checking, expr, '_+_', [soFar, listType(step.element)]);
  return finish(checking, expr, soFar, longer, step.predicate);
}

function insert(
  checking: Checking,
  expr: MacroExpr,
  step: { readonly predicate: CelType | undefined; readonly given: readonly CelType[] },
): CelType {
  const soFar = mapType(checking.inference.freshParameter(), checking.inference.freshParameter());
  const longer = applyStep(checking, expr, 'cel.@mapInsert', [soFar, ...step.given]);
  return finish(checking, expr, soFar, longer, step.predicate);
}

function finish(
  checking: Checking,
  expr: MacroExpr,
  soFar: CelType,
  longer: CelType,
  predicate: CelType | undefined,
): CelType {
  const step = predicate === undefined ? longer : applyStep(checking, expr, '_?_:_', [predicate, longer, soFar]);
  checking.inference.assignable(step, soFar);
  return soFar;
}

/**
 * The types of the variables, by the type of the range (docs/spec/conditions.md#comprehensions): maps yield keys, or
 * keys and values; lists yield elements, or indices and elements.
 */
function variableTypes(checking: Checking, expr: MacroExpr, locals: Locals): readonly CelType[] {
  const range = expr.range ?? malformed('a comprehension without a range');
  checking.check(checking, range, locals);
  const type = checking.inference.substitute(checking.types.get(range) ?? dyn);
  const two = expr.variables.length === 2;
  if (type.kind === 'list') return two ? [int, type.element] : [type.element];
  if (type.kind === 'map') return [type.key, type.value];
  if (type.kind === 'dyn' && type.json) return two ? [dyn, json] : [json];
  if (type.kind === 'dyn' || type.kind === 'error' || type.kind === 'parameter') {
    checking.inference.assignable(dyn, type);
    return [dyn, dyn];
  }
  const message = `expression of type '${printOpenType(type)}' cannot be range of a comprehension (must be list, map, or dynamic)`;
  report(checking, { message, start: range.start, end: range.end, at: range.start });
  return [errorType, errorType];
}

function requireBody(expr: MacroExpr): Expr {
  return expr.body ?? malformed('a comprehension without a body');
}

/** Throws: the parser builds no such macro. */
function malformed(what: string): never {
  throw new Error(`the parser has a bug: ${what}`);
}
