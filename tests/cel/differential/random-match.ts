import { isFailure, type Result } from '../../../packages/cel/runtime/index.js';
import type { Random } from '../../support/oracle/random.js';

/** A condition of a policy over the expressions of a batch, by their index. */
export type RandomMatch = number | { readonly kind: 'all' | 'any' | 'none'; readonly of: readonly RandomMatch[] };

/** A random tree of two or three levels. */
export function randomMatch(random: Random, expressions: number, depth = 2): RandomMatch {
  if (depth === 0) return random.below(expressions);
  const kind = random.pick(['all', 'any', 'none'] as const);
  return { kind, of: random.times(1, 3, () => randomMatch(random, expressions, random.chance(0.6) ? 0 : depth - 1)) };
}

/** The match as a policy has it. */
export function matchDocument(match: RandomMatch, texts: readonly string[]): object {
  if (typeof match === 'number') return { expr: texts[match] };
  return { [match.kind]: { of: match.of.map((inner) => matchDocument(inner, texts)) } };
}

/**
 * Whether the condition holds. A failed expression does not hold (docs/spec/policy-language.md#results-of-conditions).
 */
export function holds(match: RandomMatch, resultOf: (index: number) => Result): boolean {
  if (typeof match === 'number') return resultOf(match) === true;
  const inner = (one: RandomMatch): boolean => holds(one, resultOf);
  if (match.kind === 'all') return match.of.every(inner);
  return match.of.some(inner) === (match.kind === 'any');
}

/** The result in strict evaluation: a boolean, or the message of the first failure before the condition was decided. */
export function strictly(match: RandomMatch, resultOf: (index: number) => Result): boolean | string {
  if (typeof match === 'number') {
    const result = resultOf(match);
    return isFailure(result) ? (result?.message ?? '') : result === true;
  }
  for (const one of match.of) {
    const verdict = strictly(one, resultOf);
    if (typeof verdict === 'string') return verdict;
    if (verdict !== (match.kind === 'all')) return match.kind === 'any';
  }
  return match.kind !== 'any';
}
