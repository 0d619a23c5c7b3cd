import * as cel from '../packages/cel/runtime/index.js';
import type { Request } from '../runtime/policy/index.js';
import { invariant } from './diagnostics/invariant.js';
import type { Macro, RequestPart, Value } from './ir/value.js';

/** What an expression may read. */
export interface Surroundings {
  readonly request: Request;
  readonly bindings: Bindings;
  /** Names defined by the user, and the variables of the enclosing macros. */
  readonly locals: ReadonlyMap<string, cel.Result>;
  /** Called with the result of each value inside the expression, and of the expression itself. */
  readonly observe?: ((value: Value, result: cel.Result) => void) | undefined;
}

/** The variables and constants of a policy. */
export interface Bindings {
  /** A failure if it does not exist. */
  variable(name: string): cel.Result;
  constant(name: string): cel.Result;
  /** All of them, for `V` and `C` as a whole; in the definition of a variable, the variables before it. */
  variables(before?: string): { readonly [name: string]: cel.Result };
  constants(): { readonly [name: string]: cel.Result };
}

/**
 * Evaluates a lowered expression with the same functions that emitted code and constant folding call: no code is
 * generated and nothing is thrown. Failures carry a reason, as in the second emission (emit/values.ts). The depth of
 * expressions is limited by the parser.
 */
export function evaluate(value: Value, within: Surroundings): cel.Result {
  const result = evaluateValue(value, within);
  within.observe?.(value, result);
  return result;
}

function evaluateValue(value: Value, within: Surroundings): cel.Result {
  switch (value.kind) {
    case 'literal':
      if (value.literal === 'uint') return new cel.Uint(value.value);
      return value.literal === 'json' ? (value.value as cel.Value) : value.value;
    case 'field':
      return readField(value.of, value.name, within.request);
    case 'part':
      return readPart(value.part, within.request);
    case 'variable':
    case 'constant':
    case 'global':
      return cel.bound(value.name, readBinding(value.kind, value.name, within));
    case 'local':
      return within.locals.get(value.name);
    case 'is-set':
      return !cel.isFailure(readBinding(value.binding, value.name, within));
    case 'bindings':
      return cel.variablesMessage(readBindings(value, within));
    case 'select':
      return cel.select(evaluate(value.operand, within), value.name);
    case 'has':
      return cel.has(evaluate(value.operand, within), value.name);
    case 'optional-select':
      return cel.optionalSelect(evaluate(value.operand, within), value.name);
    case 'index':
      return cel.index(evaluate(value.operand, within), evaluate(value.index, within));
    case 'optional-index':
      return cel.optionalIndex(evaluate(value.operand, within), evaluate(value.index, within));
    case 'operator':
      return findFunction(value.operator)(...evaluateAll(value.operands, within));
    case 'call':
      return findFunction(value.runtime)(...evaluateAll(value.args, within), ...(value.pure ? [] : [within.request]));
    case 'list':
      return makeList(value, within);
    case 'map':
      return makeMap(value, within);
    case 'type-name':
      return cel.typeValue(value.name);
    case 'macro':
      return evaluateMacro(value, within);
  }
}

function evaluateAll(values: readonly Value[], within: Surroundings): readonly cel.Result[] {
  return values.map((value) => evaluate(value, within));
}

type Runtime = (...args: readonly unknown[]) => cel.Result;

/** The names come from the compiler's own tables, never from an author. */
export function findFunction(name: string): Runtime {
  functions ??= new Map(Object.entries(cel as unknown as { readonly [name: string]: Runtime }));
  return functions.get(name) ?? invariant(`packages/cel/runtime has no ${name}`);
}

/** Those of the runtime by name: looking a name up in a module takes several times as long. */
let functions: ReadonlyMap<string, Runtime> | undefined;

function readField(part: RequestPart, name: string, request: Request): cel.Result {
  switch (part) {
    case 'principal':
    case 'resource':
      return (request[part] as unknown as { readonly [name: string]: cel.Value })[name];
    case 'auxData':
      return name === 'jwts' ? cel.jwtMessages(request.auxData) : request.auxData.jwt;
    case 'runtime':
      return cel.effectiveDerivedRoles(request);
    case 'request':
      return invariant('the parts of a request are not fields');
  }
}

/** A part of a request, as a value of conditions. */
export function readPart(part: RequestPart, request: Request): cel.Result {
  switch (part) {
    case 'request':
      return cel.requestMessage(request);
    case 'principal':
      return cel.principalMessage(request.principal);
    case 'resource':
      return cel.resourceMessage(request.resource);
    case 'auxData':
      return cel.auxDataMessage(request.auxData);
    case 'runtime':
      return cel.runtimeMessage(request);
  }
}

function readBinding(
  kind: 'variable' | 'constant' | 'global',
  name: string,
  { request, bindings }: Surroundings,
): cel.Result {
  switch (kind) {
    case 'variable':
      return bindings.variable(name);
    case 'constant':
      return bindings.constant(name);
    case 'global':
      return Object.hasOwn(request.globals, name) ? request.globals[name] : undefined;
  }
}

function readBindings(
  { of, before }: Value & { readonly kind: 'bindings' },
  { request, bindings }: Surroundings,
): { readonly [name: string]: cel.Result } {
  switch (of) {
    case 'variables':
      return bindings.variables(before);
    case 'constants':
      return bindings.constants();
    case 'globals':
      return request.globals;
  }
}

function makeList({ elements }: Value & { readonly kind: 'list' }, within: Surroundings): cel.Result {
  const results = elements.map(({ optional, value }) => [optional, evaluate(value, within)] as const);
  if (elements.some(({ optional }) => optional)) return cel.listOfOptionals(results);
  return cel.listOf(results.map(([, result]) => result));
}

function makeMap({ entries }: Value & { readonly kind: 'map' }, within: Surroundings): cel.Result {
  const results = entries.map(
    ({ optional, key, value }) => [optional, evaluate(key, within), evaluate(value, within)] as const,
  );
  if (entries.some(({ optional }) => optional)) return cel.mapOfOptionals(results);
  return cel.mapOf(results.map(([, key, value]) => [key, value] as const));
}

function evaluateMacro({ runtime, range, variables, predicate, body }: Macro, within: Surroundings): cel.Result {
  const functions = [predicate, body]
    .filter((part) => part !== undefined)
    .map((part) => (...items: readonly cel.Result[]): cel.Result => {
      const inner = variables.map((name, at) => [name, items[at]] as const);
      return evaluate(part, { ...within, locals: new Map([...within.locals, ...inner]) });
    });
  return findFunction(runtime)(evaluate(range, within), ...functions);
}
