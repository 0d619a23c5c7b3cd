import type { Matcher, Pattern, Rule } from './policy.js';

/** Whether one of some patterns matches a name. */
export function matchesName(patterns: readonly Pattern[], name: string): boolean {
  return patterns.some((pattern) => pattern === name || (isGlob(pattern) && (pattern === '*' || pattern(name))));
}

/** Whether a pattern is more than a name. */
export function isGlob(pattern: Pattern): pattern is Matcher | '*' {
  return pattern === '*' || typeof pattern !== 'string';
}

/** The actions that rules name; globs name none. */
export function namedActions(rules: readonly Rule[]): readonly string[] {
  return rules.flatMap(({ actions }) => actions.filter((action): action is string => !isGlob(action)));
}

/** Whether a rule applies to an action on a kind, given as its sanitised name. */
export function appliesTo({ resource = '*', actions }: Rule, action: string, kind: string): boolean {
  return matchesName(actions, action) && matchesName([resource], kind);
}
