import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { budgetName, compareTotals, overBudget, slownessOf } from './budgets.js';

const test = suite('budgets of suites');

const ALLOWED = { cheap: 1, cli: 30, docs: 20, server: 40, site: 60, sql: 10, plan: 4 };
const BUDGETS = { quick: ALLOWED };

/** A run in which each suite takes as many times its budget, except some. */
function costs(times: number, others: { readonly [suite: string]: number } = {}): ReadonlyMap<string, number> {
  const usual = Object.entries(ALLOWED).map(([name, budget]) => [name, budget * times] as const);
  return new Map([...usual, ...Object.entries(others)]);
}

test('a suite that takes more than twice its budget fails, with some seconds to spare', () => {
  assert.equal(overBudget('quick', costs(1, { cli: 69, cheap: 12 }), BUDGETS), []);
  const [excess = '', ...others] = overBudget('quick', costs(1, { cli: 71 }), BUDGETS);
  assert.is(
    excess,
    'cli used 71 CPU seconds, more than twice its budget of 30: make it cheaper, or raise the budget in tests/budgets.json',
  );
  assert.equal(others, []);
});

test('a suite without a budget fails once it takes more than the noise', () => {
  assert.equal(overBudget('quick', costs(1, { added: 10 }), BUDGETS), []);
  assert.match(overBudget('quick', costs(1, { added: 11 }), BUDGETS)[0] ?? '', /^added used 11 .* budget of 0:/);
});

test('a slow machine fails nothing, and hides no suite that became expensive', () => {
  for (const times of [1.4, 3, 10]) {
    assert.equal(overBudget('quick', costs(times), BUDGETS), []);
    // What waits gains nothing from a fast machine, and loses nothing on a slow one.
    assert.equal(overBudget('quick', costs(times, { server: 40, sql: 10 }), BUDGETS), []);
    const found = overBudget('quick', costs(times, { cli: 30 * times * 3 + 11, docs: 20 * times * 3 + 11 }), BUDGETS);
    assert.equal(
      found.map((sentence) => sentence.split(' ')[0]),
      ['cli', 'docs'],
    );
    assert.match(found[0] ?? '', `(${(30 * times).toFixed(0)} on this machine)`);
  }
});

test('a fast machine does not tighten budgets', () => {
  assert.equal(overBudget('quick', costs(0.3, { sql: 29 }), BUDGETS), []);
});

test('small suites and few suites say nothing about the machine', () => {
  assert.is(slownessOf(new Map([['cheap', 50]]), ALLOWED), 1);
  assert.is(slownessOf(new Map([['site', 600]]), ALLOWED), 1);
  assert.is(slownessOf(costs(2, { cheap: 100 }), ALLOWED), 2);
});

test('each tier and effort has its own budgets; without any nothing fails', () => {
  assert.is(budgetName('quick', 'quick'), 'quick');
  assert.is(budgetName('full', 'quick'), 'full at quick');
  assert.equal(overBudget('full', costs(9), BUDGETS), []);
  assert.is(compareTotals('full', costs(9), BUDGETS), '');
  assert.is(
    compareTotals('quick', costs(1.5), BUDGETS),
    '; the budgets have 165, and this machine needs 1.50 times as many',
  );
});

test.run();
