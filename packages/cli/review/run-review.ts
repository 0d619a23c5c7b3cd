import type { ReviewedPair } from './cells.js';
import { evaluateReview } from './evaluate.js';
import {
  type Decision,
  type ExportedGap,
  type ExportedPair,
  exportGap,
  exportPairs,
  Groups,
  namePair,
  pairKey,
  type ReviewExport,
} from './export.js';
import { findIrregular } from './findings.js';
import type { ExportSummary } from './formats.js';
import type { OpenReview } from './open-review.js';
import { digestPopulation, type PopulationDigest } from './population.js';
import type { ReviewState } from './state.js';

/** What an evaluation is of. */
export type ReviewFacts = Pick<ReviewExport, 'format' | 'at' | 'policies' | 'population' | 'actions'>;

/** What an evaluation is of. */
export function readFacts({ at, hash, population }: OpenReview, { actions }: ReviewState): ReviewFacts {
  return { format: 1, at, policies: hash, population: digestPopulation(population), actions };
}

/** Evaluates a review, and passes on its pairs, a resource and an action after the other. */
export async function runReview(
  review: OpenReview,
  state: ReviewState,
  facts: ReviewFacts,
  onPair: (pair: ExportedPair) => void,
): Promise<ExportSummary> {
  const { population, program, engine, reasons } = review;
  const decisions = new Map<string, Decision>(
    state.decisions.map(({ decision, by, at, note, ...pair }) => [
      pairKey(pair),
      { decision, by, at, ...(note !== undefined && { note }) },
    ]),
  );
  const groups = new Groups();
  const notEvaluated: ExportedGap[] = [];
  let pairCount = 0;
  const write = (pairs: readonly ReviewedPair[]): void => {
    for (const pair of exportPairs(pairs, (one) => reasons.of(one), decisions)) {
      groups.add(pair);
      pairCount += 1;
      onPair(pair);
    }
  };
  // Resources that are in a file and in a table follow each other.
  let [same, before]: [ReviewedPair[], string] = [[], ''];
  for await (const cell of evaluate(review, state)) {
    if ('unevaluated' in cell) {
      notEvaluated.push(exportGap(cell.unevaluated));
      continue;
    }
    const [first] = cell.allowed;
    if (first === undefined) continue;
    const name = pairKey({ ...namePair(first), user: '' });
    if (name !== before) {
      write(same);
      [same, before] = [[], name];
    }
    same.push(...cell.allowed);
  }
  write(same);
  const findings = findIrregular(population, program, engine.tenants);
  return { ...facts, groups: groups.sorted, notEvaluated, findings, pairCount };
}

/** The keys of the pairs of a review that are allowed now, and how many parts could not be evaluated. */
export async function listAllowed(
  review: OpenReview,
  state: ReviewState,
): Promise<{ readonly allowed: ReadonlyMap<string, ReviewedPair>; readonly gaps: number }> {
  const allowed = new Map<string, ReviewedPair>();
  let gaps = 0;
  for await (const cell of evaluate(review, state)) {
    if ('unevaluated' in cell) gaps += 1;
    else for (const pair of cell.allowed) allowed.set(pairKey(namePair(pair)), pair);
  }
  return { allowed, gaps };
}

function evaluate({ engine, population, actors, store }: OpenReview, { actions }: ReviewState) {
  return evaluateReview(engine, population, actions, actors, store);
}

/** What is no longer as it was when a review was started. */
export function populationChanges(
  { policies, population }: ReviewState,
  now: { readonly policies: string; readonly population: PopulationDigest },
): readonly string[] {
  return [
    ...(policies === now.policies ? [] : ['the policies changed since the review was started']),
    ...(['users', 'resources'] as const).flatMap((part) => {
      const [before, after] = [population[part], now.population[part]];
      if (before.hash === after.hash) return [];
      const counts = before.count === after.count ? '' : `: there were ${before.count}, and there are ${after.count}`;
      return [`the ${part} changed since the review was started${counts}`];
    }),
  ];
}
