import { anyOf, literalOrGlob } from './glob.js';
import type { Matcher, Pattern } from './policy.js';

/** The roles of a rule that applies to everyone: every bit. */
export const ANYONE = -1;

/**
 * Matches a name if at least one of the strings of a policy does; each is a glob only if it contains `*`
 * (docs/spec/policy-language.md#where-a-string-is-a-glob).
 */
export function matchesAny(...texts: readonly string[]): Matcher {
  return shared(['any', texts], () => anyOf(texts.map(literalOrGlob)));
}

/** The actions of a rule as the author wrote them: names, and one pattern for all globs. */
export function patternsOf(texts: readonly string[]): readonly Pattern[] {
  const globs = texts.filter((text) => text.includes('*'));
  const names = texts.filter((text) => !text.includes('*'));
  if (globs.length === 0) return names;
  return [...names, globs.includes('*') ? '*' : matchesAny(...globs)];
}

/**
 * The number of rows of the reference that a rule represents: one for each of its actions that matches, times one for
 * each of its roles that matches a role. An output is repeated for each row
 * (docs/spec/policy-language.md#when-outputs-are-emitted).
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
 * A bounded cache: the functions above are created while modules load, from strings that thousands of policies share.
 * Sharing keeps them in the CPU cache when policies are evaluated by turns (bench/check.bench.ts, "Out of 10,000
 * policies"), and shows the engine that two policies name the same.
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
