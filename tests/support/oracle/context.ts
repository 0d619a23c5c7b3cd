import type { Params } from './definitions.js';
import type { Match } from './documents.js';
import type { ModelDerivedRole } from './table.js';

/** Thrown by `cel` for an expression that cannot be evaluated. */
export class ModelError extends Error {
  /** Most are caught, and thousands are thrown: a stack takes longer than an expression. */
  constructor(message?: string) {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
  }
}

/** Evaluates a CEL text to a JSON-like value, or throws a ModelError. */
export type Cel = (expression: string, environment: Environment) => unknown;

/** What an expression sees. */
export interface Environment {
  readonly principal: { readonly [field: string]: unknown };
  readonly resource: { readonly [field: string]: unknown };
  readonly auxData: unknown;
  /** Unset variables are absent. */
  readonly variables: { readonly [name: string]: unknown };
  readonly constants: { readonly [name: string]: unknown };
  readonly globals: { readonly [name: string]: unknown };
  readonly effectiveDerivedRoles: readonly string[];
  /** Not empty: reading `runtime` fails (8.9). */
  readonly failedDerivedRoles: readonly string[];
}

type RequestPart = Pick<Environment, 'principal' | 'resource' | 'auxData' | 'globals'>;

/** Evaluation state of one check of the reference model (docs/spec/policy-language.md#reference-model, `Ctx`). */
export class Context {
  effectiveDerivedRoles: readonly string[] = [];
  failedDerivedRoles: readonly string[] = [];
  private readonly cached = new Map<string, { readonly [name: string]: unknown }>();

  constructor(
    private readonly cel: Cel,
    private readonly request: RequestPart,
    private readonly strict: boolean,
  ) {}

  /** Cached for the rest of the check under their content (6.2). */
  variablesFor(params: Params): { readonly [name: string]: unknown } {
    const key = JSON.stringify(params);
    let values = this.cached.get(key);
    if (values === undefined) {
      values = this.evaluateVariables(params, false);
      this.cached.set(key, values);
    }
    return values;
  }

  /** For `runtime.effectiveDerivedRoles`: a variable that fails is null, except in strict mode (6.2). */
  variablesForListing({ params }: ModelDerivedRole): { readonly [name: string]: unknown } {
    return this.evaluateVariables(params, !this.strict);
  }

  /** Throws in strict mode only. */
  satisfied(match: Match | undefined, params: Params, variables: { readonly [name: string]: unknown }): boolean {
    if (match === undefined) return true;
    if ('expr' in match) return this.holds(match.expr, params, variables);
    if ('all' in match) return match.all.of.every((item) => this.satisfied(item, params, variables));
    if ('any' in match) return match.any.of.some((item) => this.satisfied(item, params, variables));
    return !match.none.of.some((item) => this.satisfied(item, params, variables));
  }

  output(
    expression: string,
    params: Params,
    variables: { readonly [name: string]: unknown },
  ): { readonly val: unknown } | { readonly error: string } {
    try {
      return { val: this.cel(expression, this.environment(params, variables)) };
    } catch (error) {
      if (error instanceof ModelError) return { error: error.message };
      throw error;
    }
  }

  private holds(expression: string, params: Params, variables: { readonly [name: string]: unknown }): boolean {
    try {
      return this.cel(expression, this.environment(params, variables)) === true;
    } catch (error) {
      if (error instanceof ModelError && !this.strict) return false;
      throw error;
    }
  }

  private evaluateVariables(params: Params, failedIsNull: boolean): { readonly [name: string]: unknown } {
    const values: { [name: string]: unknown } = {};
    for (const { name, expr } of params.variables) {
      try {
        values[name] = this.cel(expr, this.environment(params, values));
      } catch (error) {
        if (!(error instanceof ModelError)) throw error;
        if (failedIsNull) values[name] = null;
      }
    }
    return values;
  }

  private environment({ constants }: Params, variables: { readonly [name: string]: unknown }): Environment {
    const { effectiveDerivedRoles, failedDerivedRoles } = this;
    return { ...this.request, constants, variables, effectiveDerivedRoles, failedDerivedRoles };
  }
}
