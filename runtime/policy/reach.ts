import { anyOf, literalOrGlob } from './glob.js';
import type { Matcher } from './policy.js';

/** The roles of a rule that reaches everyone: every bit. */
export const ANYONE = -1;

/**
 * What at least one text of a policy matches; each is a glob only if it contains `*`
 * (docs/spec/policy-language.md#where-a-string-is-a-glob).
 */
export function matchesAny(...texts: readonly string[]): Matcher {
  return shared(['any', texts], () => anyOf(texts.map(literalOrGlob)));
}

/** Whether a rule of a principal policy reaches an action on a kind, each given as the texts of the rule. */
export function reaches(kind: string, ...actions: readonly string[]): (action: string, kind: string) => boolean {
  return shared(['reaches', kind, actions], () => {
    const matchesKind = literalOrGlob(kind);
    const matchesAction = matchesAny(...actions);
    return (action, kind) => matchesAction(action) && matchesKind(kind);
  });
}

/**
 * How many rows of the reference a rule stands for: one for each action text that matches, times one for each role text
 * that matches some role. An output is given once a row (docs/spec/policy-language.md#when-outputs-are-emitted).
 */
export function rowsOf(
  actions: readonly string[],
  roles: readonly string[],
): (action: string, roles: readonly string[]) => number {
  return shared(['rows', actions, roles], () => {
    const actionMatchers = actions.map(literalOrGlob);
    const roleMatchers = roles.map(literalOrGlob);
    return (action, requested) => countOfMatches(actionMatchers, action) * countOfReached(roleMatchers, requested);
  });
}

function countOfMatches(matchers: readonly Matcher[], text: string): number {
  let count = 0;
  for (const matches of matchers) if (matches(text)) count++;
  return count;
}

function countOfReached(matchers: readonly Matcher[], texts: readonly string[]): number {
  let count = 0;
  for (const matches of matchers) if (texts.some(matches)) count++;
  return count;
}

/**
 * A cache, and bounded: the functions above are made while modules load, of texts that thousands of policies have in
 * common. That policies share them keeps them at hand when policies are asked by turns (bench/check.bench.ts, "Out of
 * 10,000 policies"), and lets the engine see that two policies name the same.
 */
const made = new Map<string, unknown>();
const MAX_MADE = 10_000;

function shared<T>(texts: readonly unknown[], make: () => T): T {
  const key = JSON.stringify(texts);
  const known = made.get(key) as T | undefined;
  if (known !== undefined) return known;
  const value = make();
  if (made.size < MAX_MADE) made.set(key, value);
  return value;
}
