import { createEngine, type Engine, type EngineOptions } from '../../../runtime/engine/index.js';
import type { PrincipalInput } from '../../../runtime/engine/requests.js';
import type { Filter } from '../../../runtime/residual/index.js';
import { compileTexts, loaded } from '../compiled.js';

/**
 * Where a condition stands: it allows; its opposite allows; or it denies what a second rule allows. A wrong result of the
 * condition is a different mistake in each.
 */
export type Place = 'allow' | 'none' | 'deny';

/** An action that one condition decides; it is named after its place and the condition's index, `deny3`. */
export interface DecidedAction {
  readonly action: string;
  readonly condition: string;
}

/** Which conditions stand where: all in the same places, or each where a function says for its index. */
type Places = readonly Place[] | ((index: number) => readonly Place[]);

/** An engine for a policy of one kind, in which conditions decide what the role `user` may do. */
export async function createConditionEngine(
  kind: string,
  conditions: readonly string[],
  places: Places = ['allow'],
  options: EngineOptions = {},
): Promise<{ readonly engine: Engine; readonly actions: readonly DecidedAction[] }> {
  const { policies, actions } = await compileConditions(kind, conditions, places);
  return { engine: createEngine(policies, options), actions };
}

/** The policy of such an engine. */
export async function compileConditions(
  kind: string,
  conditions: readonly string[],
  places: Places = ['allow'],
): Promise<Pick<Awaited<ReturnType<typeof loaded>>, 'policies'> & { readonly actions: readonly DecidedAction[] }> {
  const decided = conditions.flatMap((condition, index) =>
    (typeof places === 'function' ? places(index) : places).map((place) => ({
      action: `${place}${index}`,
      condition,
      rules: RULES[place](condition).map((rule) => ({ actions: [`${place}${index}`], roles: ['user'], ...rule })),
    })),
  );
  const rules = decided.flatMap((each) => each.rules);
  const policy = { apiVersion: 'api.authz.dev/v1', resourcePolicy: { resource: kind, version: 'default', rules } };
  const { policies } = await loaded(compileTexts({ 'policy.yaml': JSON.stringify(policy) }));
  return { policies, actions: decided };
}

const RULES: { readonly [P in Place]: (expr: string) => readonly object[] } = {
  allow: (expr) => [{ effect: 'EFFECT_ALLOW', condition: { match: { expr } } }],
  none: (expr) => [{ effect: 'EFFECT_ALLOW', condition: { match: { none: { of: [{ expr }] } } } }],
  deny: (expr) => [{ effect: 'EFFECT_ALLOW' }, { effect: 'EFFECT_DENY', condition: { match: { expr } } }],
};

/** The filters of conditions that allow, in their order. */
export async function planConditions(
  kind: string,
  conditions: readonly string[],
  principal: PrincipalInput = { id: 'u1', roles: ['user'] },
): Promise<readonly Filter[]> {
  const { engine, actions } = await createConditionEngine(kind, conditions);
  return actions.map(({ action }) => engine.plan({ principal, resource: { kind }, actions: [action] }).filter);
}
