import type { Expr, IdentExpr } from '../../ast/expr.js';
import { didYouMean } from '../../diagnostics/did-you-mean.js';
import { type Checking, localOf, type Locals, type PlacedRange, report } from './checking.js';

/**
 * Returns `a.b.c` as one name, unless its first part is a local variable (docs/spec/conditions.md#comprehensions,
 * docs/spec/conditions.md#name-resolution).
 */
export function qualifiedName(expr: Expr, locals: Locals): string | undefined {
  const parts: string[] = [];
  let node = expr;
  while (node.kind === 'select' && !node.optional) {
    parts.push(node.field);
    node = node.operand;
  }
  if (node.kind !== 'ident') return undefined;
  if (!node.rooted && localOf(locals, node.name) !== undefined) return undefined;
  parts.push(node.name);
  return parts.reverse().join('.');
}

/** Reports an undeclared identifier. */
export function reportUndeclaredName(checking: Checking, expr: IdentExpr, locals: Locals): void {
  const place = { start: expr.start, end: expr.end, at: expr.start };
  reportUndeclared(checking, expr.rooted ? `.${expr.name}` : expr.name, place, () => [
    ...localNames(locals),
    ...checking.environment.names.keys(),
  ]);
}

/**
 * Reports a function that is not in the table; it may be a macro with the wrong number of arguments.
 *
 * @param at the offset of the parenthesis, by which the problem is sorted.
 */
export function reportUndeclaredFunction(checking: Checking, name: string, start: number, at: number): void {
  const place = { start, end: at, at };
  const forms = macroForms.get(name);
  if (forms === undefined)
    return reportUndeclared(checking, name, place, () => [
      ...checking.environment.functions.keys(),
      ...macroForms.keys(),
    ]);
  report(checking, {
    message: undeclared(name),
    ...place,
    hints: () => [{ message: `the macro \`${name}\` takes ${forms}` }],
  });
}

/** Reports a message literal of an unknown type. */
export function reportUndeclaredType(checking: Checking, name: string, start: number): void {
  const end = start + name.length;
  reportUndeclared(checking, name, { start, end, at: end }, () => checking.environment.messages.keys());
}

/** Reports a field that the message does not have. */
export function reportUndefinedField(
  checking: Checking,
  field: string,
  place: PlacedRange,
  known: Iterable<string>,
): void {
  report(checking, { message: `undefined field '${field}'`, ...place, hints: () => didYouMean(field, known) });
}

function reportUndeclared(checking: Checking, name: string, place: PlacedRange, known: () => Iterable<string>): void {
  report(checking, { message: undeclared(name), ...place, hints: () => didYouMean(name, known()) });
}

function undeclared(name: string): string {
  return `undeclared reference to '${name}' (in container '')`;
}

function localNames(locals: Locals): readonly string[] {
  const names: string[] = [];
  for (let local = locals; local !== undefined; local = local.outer) names.push(local.name);
  return names;
}

/** The arguments of each macro, for hints about a wrong number of arguments (docs/spec/conditions.md#macros). */
export const macroForms: ReadonlyMap<string, string> = new Map([
  ['all', '(x, condition) or (i, x, condition)'],
  ['exists', '(x, condition) or (i, x, condition)'],
  ['exists_one', '(x, condition) or (i, x, condition)'],
  ['existsOne', '(i, x, condition)'],
  ['filter', '(x, condition)'],
  ['has', '(a.field)'],
  ['map', '(x, result) or (x, condition, result)'],
  ['optFlatMap', '(x, result)'],
  ['optMap', '(x, result)'],
  ['sortBy', '(x, key)'],
  ['transformList', '(i, x, result) or (i, x, condition, result)'],
  ['transformMap', '(key, value, result) or (key, value, condition, result)'],
  ['transformMapEntry', '(key, value, entries) or (key, value, condition, entries)'],
]);
