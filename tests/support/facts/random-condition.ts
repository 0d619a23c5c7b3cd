import type { Random } from '../oracle/random.js';

/** A condition of some expressions, with `!`, `&&`, `||` and choices between them. */
export function randomCondition(random: Random, leaves: readonly string[], depth = 2): string {
  const part = (): string => randomCondition(random, leaves, depth - 1);
  if (depth === 0 || random.chance(0.4)) return random.pick(leaves);
  return random.pick([
    () => `!(${part()})`,
    () => `(${part()}) && (${part()})`,
    () => `(${part()}) || (${part()})`,
    () => `(${part()}) ? (${part()}) : (${part()})`,
  ])();
}
