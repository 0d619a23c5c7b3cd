/** Queries that applications make of plans and of conditions of their own, and the rows that each must select. */
import type { ConformanceCase } from './conformance-case.js';

/** A condition as an application combines it. */
export type Combined =
  | { readonly plan: ConformanceCase }
  /** A condition of the application: the rows with these ids. */
  | { readonly ids: readonly string[] }
  | { readonly and: readonly Combined[] }
  | { readonly or: readonly Combined[] }
  | { readonly not: Combined };

/** The combinations of plans that applications write most. */
export function combinations(
  plans: readonly ConformanceCase[],
  ids: readonly string[],
  { negates }: { readonly negates: boolean },
): readonly Combined[] {
  const own = (step: number): Combined => ({ ids: ids.filter((_, position) => position % step === 0) });
  const [half, third] = [own(2), own(3)];
  return plans.flatMap((each, index): readonly Combined[] => {
    const [plan, next] = [{ plan: each }, { plan: plans[(index + 1) % plans.length] ?? each }];
    return [
      { and: [plan, half] },
      { or: [half, plan] },
      { and: [plan, next] },
      { or: [plan, next] },
      { and: [plan, plan, half] },
      { and: [{ or: [plan, half] }, third] },
      { or: [{ and: [plan, half] }, { and: [next, third] }] },
      ...(negates
        ? [
            { not: plan },
            { not: { not: plan } },
            { and: [half, { not: plan }] },
            { or: [{ not: plan }, third] },
            { not: { and: [plan, half] } },
            { not: { or: [plan, { not: next }] } },
          ]
        : []),
    ];
  });
}

/** Whether a combination selects a row. */
export function holds(combined: Combined, id: string): boolean {
  if ('plan' in combined) return combined.plan.allowed.has(id);
  if ('ids' in combined) return combined.ids.includes(id);
  if ('not' in combined) return !holds(combined.not, id);
  return 'and' in combined
    ? combined.and.every((part) => holds(part, id))
    : combined.or.some((part) => holds(part, id));
}

/** A combination in messages: `(R.attr.shared and own)`. */
export function combinationText(combined: Combined): string {
  if ('plan' in combined) return `\`${combined.plan.condition}\` (${combined.plan.place})`;
  if ('ids' in combined) return 'own';
  if ('not' in combined) return `not ${combinationText(combined.not)}`;
  const [parts, operator] = 'and' in combined ? [combined.and, ' and '] : [combined.or, ' or '];
  return `(${parts.map(combinationText).join(operator)})`;
}
