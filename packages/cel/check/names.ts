import type { CallExpr, Expr, IdentExpr } from '../ast/expr.js';
import type { CelType } from '../library/types.js';
import { didYouMean, type Hint } from './did-you-mean.js';
import { adviseField, adviseFunction, adviseName, adviseUnknownName } from './advice.js';
import { writtenParts } from './written-parts.js';
import { type Checking, findLocal, type Locals, type PlacedRange, report } from './checking.js';

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
  if (!node.rooted && findLocal(locals, node.name) !== undefined) return undefined;
  parts.push(node.name);
  return parts.reverse().join('.');
}

/** Reports an undeclared identifier. */
export function reportUndeclaredName(checking: Checking, expr: IdentExpr, locals: Locals): void {
  const place = { start: expr.start, end: expr.end, at: expr.start };
  const { name } = expr;
  reportUndeclared(checking, expr.rooted ? `.${name}` : name, place, () => {
    // A variable of a macro that does not exist: the advice is about the macro.
    if (checking.macroVariables.has(name)) return [];
    const known = [...localNames(locals), ...checking.environment.names.keys()];
    const advice = adviseName(name, known);
    const found = advice.length > 0 ? advice : didYouMean(name, known);
    return found.length > 0 ? found : [adviseUnknownName(name)];
  });
}

/**
 * Reports a function that is not in the table; it may be a macro with the wrong number of arguments.
 *
 * @param expr the call.
 * @param at the offset of the parenthesis, by which the problem is sorted.
 * @param receiver the type of the value whose method it would be.
 */
export function reportUndeclaredFunction(
  checking: Checking,
  name: string,
  expr: CallExpr,
  at: number,
  receiver: CelType | undefined,
): void {
  const place = { start: expr.nameStart, end: at, at };
  // `has` has no receiver.
  const forms = name === 'has' && receiver !== undefined ? undefined : macroForms.get(name);
  if (forms === undefined)
    return reportUndeclared(checking, name, place, () => {
      const isMethod = receiver !== undefined && receiver.kind !== 'error';
      const advice = adviseFunction(name, writtenParts(expr, isMethod));
      return advice.length > 0 ? advice : didYouMean(name, [...callable(checking, receiver), ...macroForms.keys()]);
    });
  report(checking, {
    message: undeclared(name),
    ...place,
    hints: () => [{ message: `the macro \`${name}\` takes ${forms}` }],
  });
}

/** The functions that can be called in this form: attributes have no methods of types that JSON does not have. */
function callable(checking: Checking, receiver: CelType | undefined): readonly string[] {
  const rows = [...checking.environment.functions];
  const fits = ({ kind }: CelType): boolean => kind !== 'opaque' || receiver?.kind === 'opaque';
  return rows
    .filter(([, functions]) =>
      functions.some(
        ({ overloads, runtime }) =>
          // `id` returns its argument: nobody misses it.
          runtime !== 'identity' &&
          overloads.some(({ form, parameters: [first] }) =>
            receiver === undefined ? form === 'global' : form === 'member' && first !== undefined && fits(first),
          ),
      ),
    )
    .map(([name]) => name);
}

/** Reports a message literal of an unknown type. */
export function reportUndeclaredType(checking: Checking, name: string, start: number): void {
  const end = start + name.length;
  const hints = (): readonly Hint[] => didYouMean(name, checking.environment.messages.keys());
  reportUndeclared(checking, name, { start, end, at: end }, hints);
}

/** Reports a field that the message does not have. */
export function reportUndefinedField(
  checking: Checking,
  field: string,
  place: PlacedRange,
  type: { readonly name: string; readonly fields: Iterable<string> },
): void {
  const hints = (): readonly Hint[] => {
    const near = didYouMean(field, type.fields);
    return near.length > 0 ? near : adviseField(type.name, field);
  };
  report(checking, { message: `undefined field '${field}'`, ...place, hints });
}

function reportUndeclared(checking: Checking, name: string, place: PlacedRange, hints: () => readonly Hint[]): void {
  report(checking, { message: undeclared(name), ...place, hints });
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
