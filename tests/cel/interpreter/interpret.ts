import * as cel from '../../../packages/cel/runtime/index.js';
import { Optional, type Result, typeValue, Uint, type Value, ValueMap } from '../../../packages/cel/runtime/index.js';
import type { Request } from '../../../runtime/policy/index.js';
import type { CheckedExpression, Reference } from '../../../packages/cel/ast/checked-expression.js';
import type { CallExpr, Expr, MacroExpr, SelectExpr } from '../../../packages/cel/ast/expr.js';
import { has, index, optionalIndex, optionalSelect, select, textOf } from './access.js';
import { arithmetic, negative } from './arithmetic.js';
import { comprehension } from './comprehension.js';
import { equal, ordered, surelyEqual } from './comparison.js';
import { asResult, attempt, Failure, fail, failA, unwrap } from './failure.js';
import { applied, extreme } from './functions.js';
import { type Entry, entriesOf, find, isMap, mapOf } from './maps.js';

/** What an expression can read. */
export interface Surroundings {
  readonly request: Request;
  /** The variables of the policy by name; one that failed is a failure (docs/spec/conditions.md#policy-variables). */
  readonly variables: ReadonlyMap<string, Result>;
  readonly constants: { readonly [name: string]: Value };
}

/**
 * Evaluates a checked expression exactly as docs/spec/conditions.md#operators-macros-and-functions defines it: no
 * polarities, no constant folding, no precomputed sets. It is the oracle of the differential test. It shares the values
 * and leaf functions of the runtime, and none of its operators.
 */
export function interpret(ast: Expr, checked: CheckedExpression, surroundings: Surroundings): Result {
  return asResult(attempt(() => evaluate(ast, { ...surroundings, checked, locals: undefined })));
}

/** Names bound by macros, innermost first. A binding is evaluated when it is read. */
interface Locals {
  readonly name: string;
  readonly read: () => Value;
  readonly outer: Locals | undefined;
}

interface Scope extends Surroundings {
  readonly checked: CheckedExpression;
  readonly locals: Locals | undefined;
}

function evaluate(expr: Expr, scope: Scope): Value {
  switch (expr.kind) {
    case 'literal':
      return expr.type === 'uint' ? new Uint(expr.value) : expr.value;
    case 'ident':
      return referent(scope.checked.references.get(expr) ?? unresolved(expr), scope);
    case 'select':
      return selection(expr, scope);
    case 'index': {
      const target = evaluate(expr.operand, scope);
      const key = evaluate(expr.index, scope);
      return expr.optional ? optionalIndex(target, key) : index(target, key);
    }
    case 'call':
      return expr.isOperator ? operator(expr, scope) : call(expr, scope);
    case 'list':
      return expr.elements.flatMap(({ optional, value }) => {
        const element = evaluate(value, scope);
        if (!optional) return [element];
        if (!(element instanceof Optional))
          return fail(`cannot initialize optional list element from non-optional value ${textOf(element)}`);
        return element.value === undefined ? [] : [element.value];
      });
    case 'map':
      return mapLiteral(expr, scope);
    case 'message': {
      const fields = expr.fields.map(({ optional, name, value }) => [optional, name, evaluate(value, scope)] as const);
      return unwrap(cel.messageOf(expr.typeName, cel.mapOfOptionals(fields)));
    }
    case 'macro':
      return macro(expr, scope);
  }
}

function unresolved(expr: Expr): never {
  throw new Error(`an unresolved name at ${expr.start}`);
}

function referent(reference: Reference, scope: Scope): Value {
  const { request } = scope;
  switch (reference.kind) {
    case 'local': {
      for (let local = scope.locals; local !== undefined; local = local.outer)
        if (local.name === reference.name) return local.read();
      throw new Error(`no local ${reference.name}`);
    }
    case 'request':
      return cel.requestMessage(request);
    case 'principal':
      return cel.principalMessage(request.principal);
    case 'resource':
      return cel.resourceMessage(request.resource);
    case 'aux-data':
      return cel.auxDataMessage(request.auxData);
    case 'runtime':
      return unwrap(cel.runtimeMessage(request));
    case 'variables':
      return cel.variablesMessage(Object.fromEntries(scope.variables));
    case 'constants':
      return cel.variablesMessage(scope.constants);
    case 'globals':
      return cel.variablesMessage(request.globals);
    case 'variable':
      return bound(reference.name, scope.variables.get(reference.name));
    case 'constant':
      return bound(
        reference.name,
        Object.hasOwn(scope.constants, reference.name) ? scope.constants[reference.name] : undefined,
      );
    case 'global':
      return bound(
        reference.name,
        Object.hasOwn(request.globals, reference.name) ? (request.globals[reference.name] as Value) : undefined,
      );
    case 'type':
      return typeValue(reference.name);
    case 'enum':
      return reference.value;
    case 'field':
      throw new Error('a field without what it is of');
  }
}

function bound(name: string, result: Result): Value {
  return cel.isFailure(result) ? fail(`undefined field '${name}'`) : result;
}

function selection(expr: SelectExpr, scope: Scope): Value {
  const reference = scope.checked.references.get(expr);
  if (reference !== undefined && reference.kind !== 'field' && !expr.optional) return referent(reference, scope);
  if (reference?.kind === 'field' && !expr.optional) {
    // Fast path for reading the request, without building a message of it.
    const owner = scope.checked.references.get(expr.operand)?.kind;
    if (owner === 'principal') return scope.request.principal[reference.field as 'id'];
    if (owner === 'resource') return scope.request.resource[reference.field as 'id'];
  }
  const target = evaluate(expr.operand, scope);
  return expr.optional ? optionalSelect(target, expr.field) : select(target, expr.field);
}

function mapLiteral(expr: Expr & { readonly kind: 'map' }, scope: Scope): Value {
  const entries: Entry[] = [];
  for (const { optional, key, value } of expr.entries) {
    const entry = [evaluate(key, scope), evaluate(value, scope)] as const;
    if (entry[0] instanceof Uint8Array) return fail(UNHASHABLE);
    if (!optional) entries.push(entry);
    else if (!(entry[1] instanceof Optional)) {
      const name = typeof entry[0] === 'string' ? `'${entry[0]}'` : textOf(entry[0]);
      return fail(`cannot initialize optional entry ${name} from non-optional value ${textOf(entry[1])}`);
    } else if (entry[1].value !== undefined) entries.push([entry[0], entry[1].value]);
  }
  return mapOf(entries);
}

/** The message of a crash in the reference PDP (docs/spec/conditions.md#error-messages). */
const UNHASHABLE = 'internal error: runtime error: hash of unhashable type types.Bytes';

function operator(expr: CallExpr, scope: Scope): Value {
  const [first, second, third] = expr.args as [Expr, Expr, Expr];
  switch (expr.function) {
    case '_&&_':
      return logical(false, first, second, scope);
    case '_||_':
      return logical(true, first, second, scope);
    case '_?_:_': {
      const condition = evaluate(first, scope);
      if (typeof condition !== 'boolean') return failA();
      return evaluate(condition ? second : third, scope);
    }
    case '!_': {
      const value = evaluate(first, scope);
      return typeof value === 'boolean' ? !value : failA();
    }
    case '-_':
      return negative(evaluate(first, scope));
    case '@in':
      return membership(first, second, scope);
  }
  const [a, b] = [evaluate(first, scope), evaluate(second, scope)];
  switch (expr.function) {
    case '_==_':
      return equal(a, b);
    case '_!=_':
      return !surelyEqual(a, b);
    case '_<_':
      return ordered('_<_', a, b, (order) => order < 0);
    case '_<=_':
      return ordered('_<=_', a, b, (order) => order <= 0);
    case '_>_':
      return ordered('_>_', a, b, (order) => order > 0);
    case '_>=_':
      return ordered('_>=_', a, b, (order) => order >= 0);
    default:
      return arithmetic(expr.function, a, b);
  }
}

// `&&` (decisive: false) and `||` (docs/spec/conditions.md#logical-operators): a decisive operand on either side wins,
// otherwise the failure of the left one comes first.
function logical(decisive: boolean, left: Expr, right: Expr, scope: Scope): Value {
  const truth = (expr: Expr) => (): Value => {
    const value = evaluate(expr, scope);
    return typeof value === 'boolean' ? value : failA();
  };
  const first = attempt(truth(left));
  if (first === decisive) return decisive;
  const second = attempt(truth(right));
  if (second === decisive) return decisive;
  if (first instanceof Failure) throw first;
  if (second instanceof Failure) throw second;
  return !decisive;
}

function membership(element: Expr, collection: Expr, scope: Scope): Value {
  const literal = withoutDyn(collection, scope);
  if (literal.kind === 'list' && isDecidedEarly(element, literal.elements, scope)) return literal.elements.length > 0;
  const x = evaluate(element, scope);
  const range = evaluate(collection, scope);
  if (Array.isArray(range)) return range.some((candidate: Value) => surelyEqual(x, candidate));
  if (x instanceof Uint8Array && range instanceof ValueMap) return fail(UNHASHABLE);
  if (isMap(range)) return find(entriesOf(range), x) !== undefined;
  return failA();
}

// 3.13: `x in []`, and a literal in a list that contains it as a literal.
function isDecidedEarly(element: Expr, elements: (Expr & { kind: 'list' })['elements'], scope: Scope): boolean {
  if (elements.length === 0) return true;
  const sought = scalarConstant(element, scope);
  if (sought === undefined) return false;
  return elements.some(({ optional, value }) => {
    const candidate = optional ? undefined : scalarConstant(value, scope);
    return candidate !== undefined && surelyEqual(sought, candidate);
  });
}

// `dyn(x)` is x, except to the type checker.
function withoutDyn(expr: Expr, scope: Scope): Expr {
  const [only] = expr.kind === 'call' && scope.checked.calls.get(expr)?.name === 'dyn' ? expr.args : [];
  return only === undefined ? expr : withoutDyn(only, scope);
}

// A literal, or what folds to one: operators and functions of literals.
function scalarConstant(expr: Expr, scope: Scope): Value | undefined {
  if (!isConstant(expr, scope)) return undefined;
  const value = attempt(() => evaluate(expr, scope));
  if (value instanceof Failure) return undefined;
  return typeof value !== 'object' || value === null || value instanceof Uint || value instanceof Uint8Array
    ? value
    : undefined;
}

function isConstant(expr: Expr, scope: Scope): boolean {
  switch (expr.kind) {
    case 'literal':
      return true;
    case 'call':
      if (!expr.isOperator && scope.checked.calls.get(expr)?.pure !== true) return false;
      return [...(expr.target ? [expr.target] : []), ...expr.args].every(
        (part) => isNamespace(part, scope) || isConstant(part, scope),
      );
    default:
      return false;
  }
}

function isNamespace(expr: Expr, scope: Scope): boolean {
  return expr.kind === 'ident' && !scope.checked.references.has(expr);
}

/** Functions whose global form hides a failed argument (docs/spec/conditions.md#lists-and-sets). */
const HIDING = new Set(['intersect', 'except', 'hasIntersection', 'has_intersection', 'isSubset', 'is_subset']);

function call(expr: CallExpr, scope: Scope): Value {
  const row = scope.checked.calls.get(expr);
  if (row === undefined) throw new Error(`unresolved call of ${expr.function}`);
  const receiver = expr.target === undefined || row.name.includes('.') ? [] : [expr.target];
  const operands = [...receiver, ...expr.args];
  if (row.name === 'or' || row.name === 'orValue') return otherwise(row.name, operands as [Expr, Expr], scope);
  if (expr.target === undefined && HIDING.has(row.name)) {
    const args = operands.map((operand) => attempt(() => evaluate(operand, scope)));
    return applied(
      row,
      args.map((arg) => (arg instanceof Failure ? failA() : arg)),
      scope.request,
    );
  }
  return applied(
    row,
    operands.map((operand) => evaluate(operand, scope)),
    scope.request,
  );
}

function otherwise(name: string, [target, alternative]: readonly [Expr, Expr], scope: Scope): Value {
  const optional = evaluate(target, scope);
  if (!(optional instanceof Optional)) return failA();
  if (optional.value === undefined) return evaluate(alternative, scope);
  return name === 'or' ? optional : optional.value;
}

function macro(expr: MacroExpr, scope: Scope): Value {
  const { range, body, predicate, variables } = expr;
  switch (expr.macro) {
    case 'has':
      return presence(range as SelectExpr, scope);
    case 'math.greatest':
    case 'math.least':
      return extreme(
        expr.macro,
        expr.args.map((arg) => evaluate(arg, scope)),
      );
    case 'cel.bind':
      return evaluate(
        body as Expr,
        bind(
          scope,
          variables[0] as string,
          once(() => evaluate(range as Expr, scope)),
        ),
      );
    case 'optMap':
    case 'optFlatMap': {
      const optional = evaluate(range as Expr, scope);
      if (!(optional instanceof Optional)) return fail(`no such overload: hasValue(${cel.typeNameOf(optional)})`);
      const { value } = optional;
      if (value === undefined) return optional;
      const mapped = evaluate(
        body as Expr,
        bind(scope, variables[0] as string, () => value),
      );
      return expr.macro === 'optMap' ? new Optional(mapped) : mapped;
    }
    default: {
      const within =
        (inner: Expr) =>
        (...values: readonly Value[]) =>
          evaluate(
            inner,
            variables.reduce((outer, name, position) => bind(outer, name, () => values[position] as Value), scope),
          );
      const target = evaluate(range as Expr, scope);
      return comprehension(expr.macro, target, variables.length, predicate && within(predicate), within(body as Expr));
    }
  }
}

function presence(tested: SelectExpr, scope: Scope): Value {
  const reference = scope.checked.references.get(tested);
  if (reference?.kind === 'variable' || reference?.kind === 'constant' || reference?.kind === 'global') {
    return !(attempt(() => referent(reference, scope)) instanceof Failure);
  }
  return has(evaluate(tested.operand, scope), tested.field);
}

function bind(scope: Scope, name: string, read: () => Value): Scope {
  return { ...scope, locals: { name, read, outer: scope.locals } };
}

function once(evaluateIt: () => Value): () => Value {
  let outcome: Value | Failure | undefined;
  return () => {
    if (outcome === undefined) outcome = attempt(evaluateIt);
    if (outcome instanceof Failure) throw outcome;
    return outcome;
  };
}
