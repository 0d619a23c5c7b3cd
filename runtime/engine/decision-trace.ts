/** What the result of a decision leaves out. */
export interface Explanation {
  /**
   * The errors of expressions: one list for each resource of a check, or one for a plan; empty if there are none. Each
   * list has a pair of expression and message once, sorted (docs/spec/conditions.md#evaluation-errors). If the
   * explanation exceeds `limits`, there is one list for all resources, and one of its errors, without an expression,
   * says so.
   */
  readonly evaluationErrors: readonly (readonly EvaluationError[])[];
  /** The policies whose rules were considered, sorted by name (docs/spec/server.md#decision-entries). */
  readonly effectivePolicies: readonly EffectivePolicy[];
  /** The active derived roles of each resource; undefined for a plan, and if the explanation exceeds `limits`. */
  readonly effectiveDerivedRoles: readonly (readonly string[])[] | undefined;
}

/**
 * An error in a condition or a variable during a decision (docs/spec/conditions.md#evaluation-errors). It is not part
 * of the response, as a condition with an error does not hold. The audit log and the server's log have it.
 */
export interface EvaluationError {
  /** The policy of the condition: `resource.album.vdefault`, `derived_roles.album_roles`. */
  readonly policy: string;
  /** The rule as outputs name it; of a derived role its name, of a rule of a role policy its index. */
  readonly rule: string;
  /** The expression as the author wrote it. */
  readonly expression: string;
  /** One of docs/spec/conditions.md#error-messages. */
  readonly message: string;
}

/** A policy with a rule that a decision considered (docs/spec/server.md#decision-entries, `auditTrail`). */
export interface EffectivePolicy {
  /** The policy as decisions name matched policies: `resource.album.vdefault/acme`. */
  readonly policy: string;
  /** Its file, relative to the policy folder; undefined if the bundle does not have it. */
  readonly source: string | undefined;
}

/**
 * The errors of an explanation as one list: each pair of expression and message once, as it occurred first, sorted.
 *
 * @example
 * import { createEngine, explanations, mergeErrors } from 'authz/runtime';
 * import { policies, traced } from './dist/policies.js';
 *
 * const engine = createEngine(policies, { use: [explanations()], traced: await traced() });
 * const explanation = engine.explain({
 *   principal: { id: 'bob', roles: ['user'] },
 *   resources: [{ resource: { kind: 'album', id: 'a1', attr: { owner: 'ann' } }, actions: ['view'] }],
 * });
 * console.log(mergeErrors(explanation)[0]?.message); // => no such key: visibility
 */
export function mergeErrors({ evaluationErrors }: Pick<Explanation, 'evaluationErrors'>): readonly EvaluationError[] {
  if (evaluationErrors.length < 2) return evaluationErrors[0] ?? [];
  const first = new Map<string, EvaluationError>();
  for (const error of evaluationErrors.flat()) {
    const pair = makePairKey(error.expression, error.message);
    if (!first.has(pair)) first.set(pair, error);
  }
  return sortErrors([...first.values()]);
}

/** A key for a pair of expression and message. */
export function makePairKey(expression: string, message: string): string {
  return `${expression.length} ${expression}${message}`;
}

/** Sorts errors in place, by expression, then message. */
export function sortErrors(errors: EvaluationError[]): readonly EvaluationError[] {
  return errors.sort((a, b) => compareUtf16(a.expression, b.expression) || compareUtf16(a.message, b.message));
}

/** Orders strings by their UTF-16 units, as `sort` does. */
export function compareUtf16(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
