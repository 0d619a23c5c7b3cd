import type { Random } from '../support/oracle/random.js';

/** A condition as an application combines it, of plans and of conditions of its own, by their positions. */
export type Composition =
  | { readonly plan: number; readonly isNegated?: boolean }
  | { readonly own: number }
  | { readonly all: readonly Composition[] }
  | { readonly any: readonly Composition[] }
  | { readonly not: Composition };

/** How many plans and own conditions there are to combine. */
export interface Parts {
  readonly plans: number;
  readonly own: number;
}

/** The compositions of every plan that applications write most, and random ones. */
export function compositionsOf(parts: Parts, random: Random, count: number): readonly Composition[] {
  const own = { own: 0 };
  const usual = Array.from({ length: parts.plans }, (_, plan): readonly Composition[] => [
    { plan },
    { all: [{ plan }, own] },
    { any: [{ plan }, own] },
    { not: { plan } },
    { not: { not: { plan } } },
    { all: [{ not: { plan } }, own] },
    { any: [{ not: { plan } }, own] },
    { all: [{ any: [{ plan }, own] }, { own: 1 }] },
    { any: [{ all: [{ plan }, own] }, { own: 1 }] },
    { not: { all: [{ plan }, own] } },
    { not: { any: [{ plan }, own] } },
  ]);
  return [...usual.flat(), ...Array.from({ length: count }, () => randomComposition(parts, random, 3))];
}

function randomComposition(parts: Parts, random: Random, depth: number): Composition {
  if (depth === 0 || random.chance(0.2))
    return random.chance(0.7) ? { plan: random.below(parts.plans) } : { own: random.below(parts.own) };
  const nested = (): readonly Composition[] => random.times(1, 3, () => randomComposition(parts, random, depth - 1));
  if (random.chance(0.25)) return { not: randomComposition(parts, random, depth - 1) };
  return random.chance(0.5) ? { all: nested() } : { any: nested() };
}

/** Whether a composition holds for a row. */
export function holds(
  composition: Composition,
  isAllowed: (plan: number) => boolean,
  isOwn: (own: number) => boolean,
): boolean {
  const ask = (part: Composition): boolean => holds(part, isAllowed, isOwn);
  if ('plan' in composition) return isAllowed(composition.plan) !== (composition.isNegated === true);
  if ('own' in composition) return isOwn(composition.own);
  if ('not' in composition) return !ask(composition.not);
  return 'all' in composition ? composition.all.every(ask) : composition.any.some(ask);
}

/** A composition in the words of a library. */
export interface Words<Condition> {
  plan(position: number, isNegated: boolean): Condition;
  own(position: number): Condition;
  all(parts: readonly Condition[]): Condition;
  any(parts: readonly Condition[]): Condition;
  not(part: Condition): Condition;
}

export function composed<Condition>(composition: Composition, words: Words<Condition>): Condition {
  const ask = (part: Composition): Condition => composed(part, words);
  if ('plan' in composition) return words.plan(composition.plan, composition.isNegated === true);
  if ('own' in composition) return words.own(composition.own);
  if ('not' in composition) return words.not(ask(composition.not));
  return 'all' in composition ? words.all(composition.all.map(ask)) : words.any(composition.any.map(ask));
}

/** The same composition, in which only plans themselves and own conditions are negated. */
export function withoutNegations(composition: Composition, isNegated = false): Composition {
  if ('plan' in composition) return { plan: composition.plan, isNegated };
  if ('own' in composition) return isNegated ? { not: composition } : composition;
  if ('not' in composition) return withoutNegations(composition.not, !isNegated);
  const isAll = 'all' in composition;
  const parts = (isAll ? composition.all : composition.any).map((part) => withoutNegations(part, isNegated));
  return isAll === isNegated ? { any: parts } : { all: parts };
}
