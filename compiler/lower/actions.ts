import { literalOrGlob } from '#runtime/policy';
import type { ActionTable } from '../ir/program.js';

/** What decides which actions a rule reaches. */
interface Reaching {
  readonly actions: readonly string[];
}

/**
 * Decides at compile time which rules reach each action that some rule names: a literal action's list already holds the
 * rules that reach it by glob (design 6.3). Any other action can only be reached by a glob.
 *
 * @param among indexes of the rules to consider, in the order of the policy.
 */
export function actionTable(rules: readonly Reaching[], among: readonly number[]): ActionTable {
  const texts = [...new Set(among.flatMap((index) => rules[index]?.actions ?? []))];
  const matchers = new Map(texts.map((text) => [text, literalOrGlob(text)]));
  const reaches = (index: number, action: string): boolean =>
    (rules[index]?.actions ?? []).some((text) => matchers.get(text)?.(action) === true);
  return {
    actions: texts
      .filter((text) => !text.includes('*'))
      .map((action) => ({ action, rules: among.filter((index) => reaches(index, action)) })),
    otherActions: among.filter((index) => rules[index]?.actions.some((text) => text.includes('*'))),
  };
}
