import { readFileSync, writeFileSync } from 'node:fs';
import type { Tier } from './tiers.js';

/** CPU seconds by suite. */
export type SuiteCosts = Map<string, number>;

type Budgets = { readonly [tier: string]: { readonly [suite: string]: number } };

const FILE = new URL('../../tests/budgets.json', import.meta.url);

/** CPU seconds below which a suite never exceeds its budget: so much differs between two runs and two machines. */
const NOISE = 10;

/**
 * The suites that used more than twice their budget of CPU seconds, as sentences. Suites without a budget are named,
 * too.
 */
export function overBudget(tier: Tier, costs: SuiteCosts, budgets: Budgets = readBudgets()): readonly string[] {
  const allowed = budgets[tier];
  if (allowed === undefined) return [];
  return [...costs].flatMap(([suite, cost]) => {
    const budget = allowed[suite] ?? 0;
    if (cost <= NOISE || cost <= 2 * budget) return [];
    return [
      `${suite} used ${cost.toFixed(0)} CPU seconds, more than twice its budget of ${budget}: make it cheaper, or raise the budget in tests/budgets.json`,
    ];
  });
}

/** Writes what the suites of a tier cost as their new budgets. */
export function recordBudgets(tier: Tier, costs: SuiteCosts): void {
  const recorded = Object.fromEntries([...costs].sort().map(([suite, cost]) => [suite, Math.ceil(cost)]));
  writeFileSync(FILE, `${JSON.stringify({ ...readBudgets(), [tier]: recorded }, undefined, 2)}\n`);
}

/** The CPU seconds that each suite of a tier may use. */
export function readBudgets(): Budgets {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Budgets;
}
