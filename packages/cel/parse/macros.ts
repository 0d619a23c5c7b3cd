import type { CallExpr, Expr, MacroExpr, MacroName } from '../ast/expr.js';
import type { SyntaxError } from '../ast/syntax-error.js';

/** A call as written, before macro expansion. */
export interface WrittenCall extends Pick<CallExpr, 'target' | 'args' | 'nameStart' | 'start' | 'end'> {
  readonly function: string;
}

/** The macro, the error in its arguments, or undefined for an ordinary call. */
export type Expansion = { readonly macro: MacroExpr } | { readonly error: SyntaxError } | undefined;

/**
 * Recognizes the macros of docs/spec/conditions.md#macros by name, form and number of arguments; a call with any other
 * number of arguments is an ordinary call. Messages follow docs/spec/conditions.md#compile-time-messages.
 */
export function expandMacro(call: WrittenCall): Expansion {
  if (call.target === undefined) return call.function === 'has' && call.args.length === 1 ? expandHas(call) : undefined;
  if (isNamespace(call.target, 'cel')) {
    return call.function === 'bind' && call.args.length === 3 ? expandBind(call) : expandReceiver(call, call.target);
  }
  if (isNamespace(call.target, 'math') && (call.function === 'greatest' || call.function === 'least'))
    return expandExtremum(call);
  return expandReceiver(call, call.target);
}

/** The variable in which a fold accumulates its result: user variables cannot have this name. */
const accumulator = '__result__';

function expandHas(call: WrittenCall): Expansion {
  const operand = call.args[0];
  // `has(has(x))` is the same as `has(x)`.
  if (operand?.kind === 'macro' && operand.macro === 'has') return createMacro(call, 'has', { range: operand.range });
  if (operand?.kind !== 'select' || operand.optional) return errorAt(operand, 'invalid argument to has() macro');
  return createMacro(call, 'has', { range: operand });
}

function expandBind(call: WrittenCall): Expansion {
  const [name, range, body] = call.args;
  if (!isName(name)) return errorAt(name, 'cel.bind() variable names must be simple identifiers');
  return createMacro(call, 'cel.bind', { range, variables: [name.name], body });
}

function expandExtremum(call: WrittenCall): Expansion {
  const name = call.function === 'greatest' ? 'math.greatest' : 'math.least';
  const [first, ...rest] = call.args;
  if (first === undefined) return errorAt(call.target, `${name}() requires at least one argument`);
  if (rest.length === 0) {
    const numericList =
      first.kind === 'list' && first.elements.length > 0 && first.elements.every(({ value }) => canBeNumeric(value));
    if (!numericList && !canBeNumeric(first)) return errorAt(first, `${name}() invalid single argument value`);
  } else {
    const offender = call.args.find((argument) => !canBeNumeric(argument));
    if (offender !== undefined) return errorAt(offender, `${name}() simple literal arguments must be numeric`);
  }
  return createMacro(call, name, { args: call.args });
}

function expandReceiver(call: WrittenCall, range: Expr): Expansion {
  const count = call.args.length;
  switch (call.function) {
    case 'all':
    case 'exists':
    case 'exists_one':
      if (count === 2) return expandOneVariable(call, call.function, range, 'argument must be a simple name');
      return count === 3 ? expandTwoVariables(call, call.function, range) : undefined;
    case 'existsOne':
      return count === 3 ? expandTwoVariables(call, 'exists_one', range) : undefined;
    case 'filter':
      return count === 2 ? expandOneVariable(call, 'filter', range, 'argument is not an identifier') : undefined;
    case 'map':
      return count === 2 || count === 3
        ? expandOneVariable(call, 'map', range, 'argument is not an identifier')
        : undefined;
    case 'transformList':
    case 'transformMap':
    case 'transformMapEntry':
      return count === 3 || count === 4 ? expandTwoVariables(call, call.function, range) : undefined;
    case 'sortBy':
      return count === 2 ? expandSortBy(call, range) : undefined;
    case 'optMap':
    case 'optFlatMap':
      return count === 2 ? expandOptional(call, call.function, range) : undefined;
  }
  return undefined;
}

function expandOneVariable(call: WrittenCall, macro: MacroName, range: Expr, notAName: string): Expansion {
  const [variable, ...rest] = call.args;
  const problem = problemOfVariable(variable, notAName);
  if (problem !== undefined) return { error: problem };
  return createMacro(call, macro, { range, variables: listNames([variable]), ...predicateAndBody(rest) });
}

function expandTwoVariables(call: WrittenCall, macro: MacroName, range: Expr): Expansion {
  const [first, second, ...rest] = call.args;
  const problem =
    problemOfVariable(first, 'argument is not an identifier') ??
    problemOfVariable(second, 'argument is not an identifier');
  if (problem !== undefined) return { error: problem };
  const variables = listNames([first, second]);
  if (variables[0] === variables[1]) return errorAt(second, `duplicate variable name: ${variables[0]}`);
  return createMacro(call, macro, { range, variables, ...predicateAndBody(rest) });
}

function expandSortBy(call: WrittenCall, range: Expr): Expansion {
  if (range.kind === 'literal' || range.kind === 'map' || range.kind === 'message') {
    return errorAt(range, 'sortBy can only be applied to a list, identifier, comprehension, call or select expression');
  }
  return expandOneVariable(call, 'sortBy', range, 'argument is not an identifier');
}

function expandOptional(call: WrittenCall, macro: 'optMap' | 'optFlatMap', range: Expr): Expansion {
  const [variable, body] = call.args;
  if (!isName(variable)) return errorAt(variable, `${macro}() variable name must be a simple identifier`);
  return createMacro(call, macro, { range, variables: [variable.name], body });
}

function problemOfVariable(variable: Expr | undefined, notAName: string): SyntaxError | undefined {
  if (!isName(variable)) return errorAt(variable, notAName).error;
  if (variable.name === accumulator)
    return errorAt(variable, 'iteration variable overwrites accumulator variable').error;
  return undefined;
}

function predicateAndBody(rest: readonly Expr[]): Pick<MacroExpr, 'predicate' | 'body'> {
  return rest.length === 2 ? { predicate: rest[0], body: rest[1] } : { predicate: undefined, body: rest[0] };
}

function listNames(variables: readonly (Expr | undefined)[]): string[] {
  return variables.filter(isName).map(({ name }) => name);
}

function isName(expr: Expr | undefined): expr is Extract<Expr, { kind: 'ident' }> {
  return expr?.kind === 'ident' && !expr.rooted;
}

function isNamespace(target: Expr, name: string): boolean {
  return isName(target) && target.name === name;
}

function canBeNumeric(expr: Expr): boolean {
  if (expr.kind === 'literal') return expr.type === 'int' || expr.type === 'uint' || expr.type === 'double';
  return expr.kind !== 'list' && expr.kind !== 'map' && expr.kind !== 'message';
}

function createMacro(call: WrittenCall, macro: MacroName, parts: Partial<MacroExpr>): Expansion {
  const { start, end, nameStart } = call;
  const absent = { range: undefined, variables: [], predicate: undefined, body: undefined, args: [] };
  return { macro: { ...absent, ...parts, kind: 'macro', macro, start, end, nameStart } };
}

function errorAt(expr: Expr | undefined, message: string): { readonly error: SyntaxError } {
  return { error: { message, start: expr?.start ?? 0, end: expr?.end ?? 0 } };
}
