import type { RoleBits } from '../ir/program.js';
import { ReachIndex } from './reach-index.js';

/**
 * Bits a policy has for its roles: JavaScript's bit operators work on 32; one is the engine's for roles that no rule
 * names, one the sign.
 */
const BITS = 30;

/**
 * Gives each role text of a policy a bit, in order of first appearance. Where there are too many, roles that no rule
 * tells apart share one; where that is not enough, bits repeat and rules must name their roles as well (`crowded`).
 *
 * @param rules the role texts of each rule; `['*']` is everyone.
 */
export function roleBits(rules: readonly (readonly string[])[]): RoleBits {
  const texts = [...new Set(rules.flat())].filter((text) => text !== '*');
  const patterns = texts.filter((text) => text.includes('*'));
  const roles = texts.filter((text) => !text.includes('*'));

  const groupOf = groups(roles, rules, texts.length > BITS);
  const size = new Set(groupOf.values()).size + patterns.length;
  const bitOf = (position: number): number => 1 << (position % BITS);

  const globs = patterns.map((pattern, index) => ({ pattern, bit: bitOf(size - patterns.length + index) }));
  const index = new ReachIndex(patterns.map((pattern, entry) => [entry, [pattern]]));
  const literals = roles.map((role) => ({
    role,
    bit: bitOf(groupOf.get(role) as number),
    alsoGlobs: index.reaching(role).flatMap((entry) => globs[entry]?.bit ?? []),
  }));
  return { literals, globs, crowded: size > BITS };
}

/** The position of each role's bit: its own, or one for all roles that appear in the same rules. */
function groups(
  roles: readonly string[],
  rules: readonly (readonly string[])[],
  share: boolean,
): ReadonlyMap<string, number> {
  if (!share) return new Map(roles.map((role, index) => [role, index]));
  const rulesOf = new Map<string, number[]>(roles.map((role) => [role, []]));
  rules.forEach((texts, rule) => {
    for (const text of texts) rulesOf.get(text)?.push(rule);
  });
  const positions = new Map<string, number>();
  const groupOf = new Map<string, number>();
  for (const role of roles) {
    const signature = (rulesOf.get(role) as number[]).join(',');
    const position = positions.get(signature) ?? positions.size;
    positions.set(signature, position);
    groupOf.set(role, position);
  }
  return groupOf;
}
