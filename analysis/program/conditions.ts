import * as cel from '#runtime/cel';
import type { Request } from '#runtime/policy';
import { evaluate, type Surroundings } from '../../compiler/evaluate.js';
import { survives } from '../../compiler/ir/survives.js';
import type { Match, Module } from '../../compiler/ir/program.js';
import type { Value } from '../../compiler/ir/value.js';

/** How the variables of a module are evaluated. */
export interface Reading {
  /** A failed variable reads as null, which is so while derived roles are listed
   * (docs/spec/policy-language.md#evaluating-variables).
   */
  readonly failedIsNull?: boolean;
  /** Failures are reported to the listener that the request names (docs/spec/conditions.md#evaluation-errors). */
  readonly tells?: boolean;
  /** Called with the result of each value. */
  readonly observe?: Surroundings['observe'];
}

/** What the expressions of a module see of a request. Each variable is evaluated once, on first use. */
export function surroundingsOf(
  { variables, constants }: Pick<Module, 'variables' | 'constants'>,
  request: Request,
  { failedIsNull = false, tells = false, observe }: Reading = {},
): Surroundings {
  const definitions = new Map(variables.map((variable) => [variable.name, variable]));
  const values = new Map(constants.map(({ name, value }) => [name, value as cel.Value]));
  const results = new Map<string, cel.Result>();
  const variable = (name: string): cel.Result => {
    if (results.has(name)) return results.get(name);
    const definition = definitions.get(name);
    if (definition === undefined) return cel.undefinedField(name);
    const result = evaluate(definition.value, within);
    const kept = survives(definition.value.type) ? result : cel.stored(result);
    if (tells) cel.variable(request.failures, definition.expression.text, kept);
    const read = failedIsNull ? cel.orNull(kept) : kept;
    results.set(name, read);
    return read;
  };
  const within: Surroundings = {
    request,
    variable,
    constant: (name) => (values.has(name) ? values.get(name) : cel.undefinedField(name)),
    variables: (before) => {
      const names = [...definitions.keys()];
      const listed = before === undefined ? names : names.slice(0, names.indexOf(before));
      return Object.fromEntries(listed.map((name) => [name, variable(name)]));
    },
    constants: () => Object.fromEntries(values),
    locals: new Map(),
    ...(observe === undefined ? {} : { observe }),
  };
  return within;
}

/**
 * Whether a condition holds; a part that cannot be evaluated does not
 * (docs/spec/policy-language.md#results-of-conditions).
 */
export function holds(match: Match, within: Surroundings): boolean {
  switch (match.kind) {
    case 'expr':
      return evaluate(match.value, within) === true;
    case 'all':
      return match.of.every((part) => holds(part, within));
    case 'any':
      return match.of.some((part) => holds(part, within));
    case 'none':
      return !match.of.some((part) => holds(part, within));
  }
}

/** The same in strict evaluation: a failure is the result (docs/spec/policy-language.md#strict-evaluation). */
export function traced(match: Match, within: Surroundings): cel.Result {
  if (match.kind === 'expr')
    return cel.part(within.request.failures, match.expression.text, evaluate(match.value, within));
  const parts = match.of.map((part) => () => traced(part, within));
  switch (match.kind) {
    case 'all':
      return cel.allOf(...parts);
    case 'any':
      return cel.anyOf(...parts);
    case 'none':
      return cel.noneOf(...parts);
  }
}

/** An output as JSON, or the text of the expression that failed (docs/spec/policy-language.md#outputs). */
export function outputOf(value: Value, within: Surroundings): ReturnType<typeof cel.toOutput> {
  return cel.toOutput(evaluate(value, within));
}
