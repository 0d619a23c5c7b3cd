import * as cel from '../../cel/runtime/index.js';
import type { Attributes, Instant, Request } from '../../../runtime/policy/index.js';
import type { Expression } from '../../../compiler/ast/policy.js';
import { evaluate, type Surroundings } from '../../../compiler/evaluate.js';
import { compileTree } from './compile-expression.js';
import type { State } from './state.js';

/** The context of one input: one instant, and each variable is evaluated once. */
export function makeSurroundings(
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
  const results = new Map<string, cel.Result>();
  const variable = (name: string): cel.Result => {
    if (variables !== undefined) return Object.hasOwn(variables, name) ? variables[name] : cel.undefinedField(name);
    if (results.has(name)) return results.get(name);
    const expression = policy?.variables.get(name);
    if (expression === undefined) return cel.undefinedField(name);
    // Found by a variable that reads itself.
    results.set(name, new cel.CelError(`variable '${name}' refers to itself`));
    const result = cel.stored(evaluateExpression(expression, { ...within, locals: new Map() }));
    results.set(name, result);
    return result;
  };
  const constant = (name: string): cel.Result => {
    if (constants !== undefined) return Object.hasOwn(constants, name) ? constants[name] : cel.undefinedField(name);
    return policy?.constants.has(name) === true ? (policy.constants.get(name) as cel.Value) : cel.undefinedField(name);
  };
  const within: Surroundings = {
    request,
    bindings: {
      variable,
      constant,
      variables: () =>
        variables ?? Object.fromEntries([...(policy?.variables.keys() ?? [])].map((name) => [name, variable(name)])),
      constants: () =>
        constants ?? Object.fromEntries([...(policy?.constants.keys() ?? [])].map((name) => [name, constant(name)])),
    },
    locals: names,
  };
  return within;
}

/**
 * The context for expressions of a loaded policy: without the names of the session; `V` and `C` as a whole hold the
 * ones that the policy uses.
 */
export function surroundingsOfPolicy(state: State, now: Instant): Surroundings {
  const within = makeSurroundings(state, now);
  const { policy, variables, constants } = state;
  if (policy === undefined) return within;
  const used = (names: ReadonlySet<string>, read: (name: string) => cel.Result) => () =>
    Object.fromEntries([...names].map((name) => [name, read(name)]));
  const { bindings } = within;
  return {
    ...within,
    bindings: {
      ...bindings,
      ...(variables === undefined && { variables: used(policy.used.variables, bindings.variable) }),
      ...(constants === undefined && { constants: used(policy.used.constants, bindings.constant) }),
    },
    locals: new Map(),
  };
}

/** Evaluates an expression of a policy. */
export function evaluateExpression({ ast, syntaxErrors }: Expression, within: Surroundings): cel.Result {
  if (ast === undefined) return new cel.CelError(syntaxErrors[0]?.message ?? 'it is not an expression');
  const compiled = compileTree(ast);
  return compiled.kind === 'value'
    ? evaluate(compiled.value, within)
    : new cel.CelError(compiled.problems[0]?.message ?? 'it is not valid');
}

/** Globals of a configuration: integers are ints (docs/spec/conditions.md#numbers-in-requests). */
function withInts(json: unknown): unknown {
  if (typeof json === 'number') return Number.isSafeInteger(json) ? BigInt(json) : json;
  if (Array.isArray(json)) return json.map(withInts);
  if (typeof json !== 'object' || json === null) return json;
  return Object.fromEntries(Object.entries(json).map(([name, value]) => [name, withInts(value)]));
}
