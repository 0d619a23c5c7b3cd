import type { Rule } from './program.js';

/**
 * The key of each rule's condition in a TracedBundle: `<policy key>#<rule name>`, with `@<derived role>`, and with `~2`
 * ... if rules of one policy have the same name, as rules of two blocks of a principal policy may
 * (docs/spec/policy-language.md#principalpolicy).
 */
export function tracedKeys(policyKey: string, rules: readonly Rule[]): readonly string[] {
  const counts = new Map<string, number>();
  return rules.map((rule) => {
    const key = usualTracedKey(policyKey, rule);
    const count = (counts.get(key) ?? 0) + 1;
    counts.set(key, count);
    return count === 1 ? key : `${key}~${count}`;
  });
}

/** The key that the engine computes if the rule has none. */
export function usualTracedKey(policyKey: string, { name, derivedRole }: Rule): string {
  return `${policyKey}#${name}${derivedRole === undefined ? '' : `@${derivedRole.name}`}`;
}
