import { CelError, type Result, stored, undefinedField, type Value } from '#runtime/cel';
import type { Attributes, Instant, Request } from '#runtime/policy';
import type { Expression } from '../ast/policy.js';
import { compileTree } from './compile-expression.js';
import { evaluate, type Surroundings } from './evaluate.js';
import type { State } from './state.js';

/** What one input is evaluated in: one instant, and each variable once. */
export function surroundingsOf(
  { names, parts, variables, constants, globals, policy }: State,
  now: Instant,
): Surroundings {
  const request: Request = {
    ...parts,
    effectiveDerivedRoles: [],
    failedDerivedRoles: [],
    globals: withInts(globals) as Attributes,
    now,
  };
  const results = new Map<string, Result>();
  const variable = (name: string): Result => {
    if (variables !== undefined) return Object.hasOwn(variables, name) ? variables[name] : undefinedField(name);
    if (results.has(name)) return results.get(name);
    const expression = policy?.variables.get(name);
    if (expression === undefined) return undefinedField(name);
    // A variable that comes to read itself finds this.
    results.set(name, new CelError(`variable '${name}' is defined by itself`));
    const result = stored(resultOf(expression, { ...within, locals: new Map() }));
    results.set(name, result);
    return result;
  };
  const constant = (name: string): Result => {
    if (constants !== undefined) return Object.hasOwn(constants, name) ? constants[name] : undefinedField(name);
    return policy?.constants.has(name) === true ? (policy.constants.get(name) as Value) : undefinedField(name);
  };
  const within: Surroundings = {
    request,
    variable,
    constant,
    variables: () =>
      variables ?? Object.fromEntries([...(policy?.variables.keys() ?? [])].map((name) => [name, variable(name)])),
    constants: () =>
      constants ?? Object.fromEntries([...(policy?.constants.keys() ?? [])].map((name) => [name, constant(name)])),
    locals: names,
  };
  return within;
}

/**
 * What the expressions of a loaded policy are evaluated in: without the names of the session; `V` and `C` as
 * a whole hold what it uses.
 */
export function surroundingsOfPolicy(state: State, now: Instant): Surroundings {
  const within = surroundingsOf(state, now);
  const { policy, variables, constants } = state;
  if (policy === undefined) return within;
  const used = (names: ReadonlySet<string>, read: (name: string) => Result) => () =>
    Object.fromEntries([...names].map((name) => [name, read(name)]));
  return {
    ...within,
    variables: variables === undefined ? used(policy.used.variables, within.variable) : within.variables,
    constants: constants === undefined ? used(policy.used.constants, within.constant) : within.constants,
    locals: new Map(),
  };
}

/** The value of an expression of a policy. */
export function resultOf({ ast, syntaxErrors }: Expression, within: Surroundings): Result {
  if (ast === undefined) return new CelError(syntaxErrors[0]?.message ?? 'it is not an expression');
  const compiled = compileTree(ast);
  return compiled.kind === 'value'
    ? evaluate(compiled.value, within)
    : new CelError(compiled.problems[0]?.message ?? 'it is not valid');
}

/** Globals of a configuration: integers are ints (docs/spec/conditions.md#numbers-in-requests). */
function withInts(json: unknown): unknown {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return json.map(withInts);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, withInts(value)]));
}
