import { readFileSync, writeFileSync } from 'node:fs';
import type { Effort } from '../../tests/support/effort.js';
import type { Tier } from './tiers.js';

/** CPU seconds by suite. */
export type SuiteCosts = ReadonlyMap<string, number>;

type Budgets = { readonly [run: string]: { readonly [suite: string]: number } };

const FILE = new URL('../../tests/budgets.json', import.meta.url);

/** CPU seconds by which a suite may exceed any budget: so much differs between two runs. */
const NOISE = 10;

/** Suites whose budgets are smaller, in CPU seconds, say too little about a machine. */
const TELLING = 3;

/** The name of the budgets of a run: CI runs the files of `full` at the effort `quick`. */
export function budgetName(tier: Tier, effort: Effort): string {
  return tier === effort || tier === 'unit' ? tier : `${tier} at ${effort}`;
}

/**
 * How many times the CPU seconds of the budgets this machine needs, with this version of Node and what else it does: the
 * median of the suites. One suite, or a few, that became expensive hardly change it.
 *
 * @returns 1 if too few suites ran that have budgets.
 */
export function slownessOf(costs: SuiteCosts, allowed: Budgets[string]): number {
  const ratios = [...costs]
    .map(([suite, cost]) => ({ cost, budget: allowed[suite] ?? 0 }))
    .filter(({ budget }) => budget >= TELLING)
    .map(({ cost, budget }) => cost / budget)
    .sort((one, other) => one - other);
  return ratios.length < 5 ? 1 : (ratios[Math.floor(ratios.length / 2)] ?? 1);
}

/**
 * The suites that used more than twice their budget of CPU seconds, as sentences: of what the budget is on this machine,
 * and some seconds beyond. Suites without a budget are named, too.
 */
export function overBudget(run: string, costs: SuiteCosts, budgets: Budgets = readBudgets()): readonly string[] {
  const allowed = budgets[run];
  if (allowed === undefined) return [];
  // A fast machine does not make budgets smaller: what waits or starts programs gains less from it.
  const slowness = Math.max(1, slownessOf(costs, allowed));
  return [...costs].flatMap(([suite, cost]) => {
    const budget = allowed[suite] ?? 0;
    if (cost <= 2 * budget * slowness + NOISE) return [];
    const here = slowness === 1 ? '' : ` (${(budget * slowness).toFixed(0)} on this machine)`;
    return [
      `${suite} used ${cost.toFixed(0)} CPU seconds, more than twice its budget of ${budget}${here}: make it cheaper, or raise the budget in tests/budgets.json`,
    ];
  });
}

/** The CPU seconds of a run beside those of its budgets, as a sentence. Empty without budgets. */
export function compareTotals(run: string, costs: SuiteCosts, budgets: Budgets = readBudgets()): string {
  const allowed = budgets[run];
  if (allowed === undefined) return '';
  const total = Object.values(allowed).reduce((sum, each) => sum + each, 0);
  return `; the budgets have ${total}, and this machine needs ${slownessOf(costs, allowed).toFixed(2)} times as many`;
}

/** Writes what the suites of a run cost as their new budgets. */
export function recordBudgets(run: string, costs: SuiteCosts): void {
  const recorded = Object.fromEntries([...costs].sort().map(([suite, cost]) => [suite, Math.ceil(cost)]));
  writeFileSync(FILE, `${JSON.stringify({ ...readBudgets(), [run]: recorded }, undefined, 2)}\n`);
}

/** The CPU seconds that each suite of a run may use. */
export function readBudgets(): Budgets {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Budgets;
}
