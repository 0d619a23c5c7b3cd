import type { Rule } from '../ir/program.js';

/**
 * Under which key of a TracedBundle the condition of each rule stands: `<policy key>#<rule name>`, with `@<derived
 * role>`, and with `~2` ... where rules of one policy have one name, as rules of two blocks of a principal policy may
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

/** The key that the engine finds by itself. */
export function usualTracedKey(policyKey: string, { name, derivedRole }: Rule): string {
  return `${policyKey}#${name}${derivedRole === undefined ? '' : `@${derivedRole.name}`}`;
}
