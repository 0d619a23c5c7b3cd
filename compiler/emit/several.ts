import type { Rule } from '../ir/program.js';

/** The names of authored rules that were lowered to more than one: for plain roles, and for each derived role. */
export function severalTimes(rules: readonly Rule[]): ReadonlySet<string> {
  const once = new Set<string>();
  return new Set(rules.flatMap(({ name }) => (once.size === once.add(name).size ? [name] : [])));
}
