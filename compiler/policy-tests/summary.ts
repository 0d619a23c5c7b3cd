import { type CaseResult, OUTCOMES, type Outcome, type Summary } from './results.js';

/** Counts the cases of a suite. */
export function summaryOf(cases: readonly CaseResult[]): Summary {
  const counts = new Map<Outcome, number>();
  for (const { details } of cases) {
    if (details.kind === 'skipped' && details.filtered) continue;
    counts.set(details.kind, (counts.get(details.kind) ?? 0) + 1);
  }
  return { overall: heaviest(cases.map(({ details }) => details.kind)), count: total(counts), counts };
}

/** Adds up suites. */
export function sumOf(summaries: readonly Summary[]): Summary {
  const counts = new Map(
    OUTCOMES.map((outcome) => [outcome, summaries.reduce((sum, own) => sum + (own.counts.get(outcome) ?? 0), 0)]),
  );
  return { overall: heaviest(summaries.flatMap(({ overall }) => overall ?? [])), count: total(counts), counts };
}

/** A suite without cases. */
export function bare(overall: Outcome): Summary {
  return { overall, count: 0, counts: new Map() };
}

function heaviest(outcomes: readonly Outcome[]): Outcome | undefined {
  return OUTCOMES.findLast((outcome) => outcomes.includes(outcome));
}

function total(counts: ReadonlyMap<Outcome, number>): number {
  return [...counts.values()].reduce((sum, count) => sum + count, 0);
}
