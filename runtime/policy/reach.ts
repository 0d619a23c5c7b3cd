import { anyOf, literalOrGlob } from './glob.js';
import type { Matcher } from './policy.js';

/** The roles of a rule that reaches everyone: every bit. */
export const ANYONE = -1;

/** What at least one text of a policy matches; each is a glob only if it contains `*` (policy-language.md 4.3). */
export function matchesAny(...texts: readonly string[]): Matcher {
  return anyOf(texts.map(literalOrGlob));
}

/** Whether a rule of a principal policy reaches an action on a kind, each given as the texts of the rule. */
export function reaches(kind: string, ...actions: readonly string[]): (action: string, kind: string) => boolean {
  const matchesKind = literalOrGlob(kind);
  const matchesAction = matchesAny(...actions);
  return (action, kind) => matchesAction(action) && matchesKind(kind);
}

/**
 * How many rows of the reference a rule stands for: one for each action text that matches, times one for each role text that
 * matches some role. An output is given once a row (policy-language.md 9.1).
 */
export function rowsOf(actions: readonly string[], roles: readonly string[]): (action: string, roles: readonly string[]) => number {
  const actionMatchers = actions.map(literalOrGlob);
  const roleMatchers = roles.map(literalOrGlob);
  return (action, requested) =>
    actionMatchers.filter((matches) => matches(action)).length *
    roleMatchers.filter((matches) => requested.some(matches)).length;
}
