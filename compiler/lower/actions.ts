import type { ActionTable } from '../ir/program.js';
import { ReachIndex } from './reach-index.js';

/** What decides which actions a rule reaches. */
interface Reaching {
  readonly actions: readonly string[];
}

/**
 * Decides at compile time which rules reach each action that some rule names: a literal action's list already holds the
 * rules that reach it by glob. Any other action can only be reached by a glob.
 *
 * @param among indexes of the rules to consider, in the order of the policy.
 */
export function actionTable(rules: readonly Reaching[], among: readonly number[]): ActionTable {
  const actionsOf = (index: number): readonly string[] => rules[index]?.actions ?? [];
  const index = new ReachIndex(among.map((rule) => [rule, actionsOf(rule)]));
  const texts = new Set(among.flatMap(actionsOf));
  return {
    actions: [...texts]
      .filter((text) => !text.includes('*'))
      .map((action) => ({ action, rules: index.reaching(action) })),
    otherActions: among.filter((rule) => actionsOf(rule).some((text) => text.includes('*'))),
  };
}
