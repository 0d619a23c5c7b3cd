import * as cel from '../../cel/runtime/index.js';
import type { Request } from '../../../runtime/policy/index.js';
import { type Bindings, evaluate, type Surroundings } from '../../../compiler/evaluate.js';
import { survives } from '../../../compiler/ir/survives.js';
import type { Match, Module } from '../../../compiler/ir/program.js';
import type { Value } from '../../../compiler/ir/value.js';
import { type Definitions, readDefinitions } from './definitions.js';

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
export function makeSurroundings(
  module: Pick<Module, 'variables' | 'constants'>,
  request: Request,
  reading: Reading = {},
): Surroundings {
  return new ModuleBindings(readDefinitions(module), request, reading).surroundings;
}

/** A class and no closures: conditions are evaluated millions of times. */
class ModuleBindings implements Bindings {
  readonly surroundings: Surroundings;
  private readonly results = new Map<string, cel.Result>();

  constructor(
    private readonly definitions: Definitions,
    request: Request,
    private readonly reading: Reading,
  ) {
    this.surroundings = { request, bindings: this, locals: NO_LOCALS, observe: reading.observe };
  }

  variable(name: string): cel.Result {
    const { results, surroundings } = this;
    if (results.has(name)) return results.get(name);
    const definition = this.definitions.variables.get(name);
    if (definition === undefined) return cel.undefinedField(name);
    const { failedIsNull = false, tells = false } = this.reading;
    const result = evaluate(definition.value, surroundings);
    const kept = survives(definition.value.type) ? result : cel.stored(result);
    if (tells) cel.variable(surroundings.request.failures, definition.expression.text, kept);
    const read = failedIsNull ? cel.orNull(kept) : kept;
    results.set(name, read);
    return read;
  }

  constant(name: string): cel.Result {
    const { constants } = this.definitions;
    return constants.has(name) ? constants.get(name) : cel.undefinedField(name);
  }

  variables(before?: string): { readonly [name: string]: cel.Result } {
    const names = [...this.definitions.variables.keys()];
    const listed = before === undefined ? names : names.slice(0, names.indexOf(before));
    return Object.fromEntries(listed.map((name) => [name, this.variable(name)]));
  }

  constants(): { readonly [name: string]: cel.Result } {
    return Object.fromEntries(this.definitions.constants);
  }
}

const NO_LOCALS: Surroundings['locals'] = new Map();

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
export function evaluateOutput(value: Value, within: Surroundings): ReturnType<typeof cel.toOutput> {
  return cel.toOutput(evaluate(value, within));
}
