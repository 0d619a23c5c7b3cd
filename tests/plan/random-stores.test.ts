import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine, type EngineOptions } from '../../runtime/engine/index.js';
import { type Filter, filterText, FLAT, REFERENCE, selects, type Writing } from '../../runtime/residual/index.js';
import { policyFiles } from '../support/oracle/documents.js';
import { selectsRow, type WireRow } from '../support/oracle/filter-rows.js';
import type { WireOperand } from '../support/oracle/operands.js';
import { Random } from '../support/oracle/random.js';
import { randomAttributes, randomRequest, randomStore } from '../support/oracle/random-store.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { withSharedNames } from './shared-names.js';
import { SEED, rounds } from '../support/effort.js';

/**
 * The number of random stores; SEED is the first seed. Each is asked for the plans of some requests, and each plan is
 * compared on 32 rows, also by the model's evaluator. EFFORT=campaign takes minutes.
 */
const STORES = rounds(60);
const REQUESTS = 8;
const ROWS = 32;

/**
 * `plain` selects too few rows where a DENY reads a missing attribute: the reference's `not` cannot express it
 * (docs/spec/plans.md#d-09-two-kinds-of-not).
 */
const WRITINGS: { readonly [name: string]: Writing } = {
  exact: { shapes: 'flat', nots: 'exact' },
  default: FLAT,
  plain: REFERENCE,
};

const test = suite('plans of random policies');

test('a filter selects exactly the rows that check allows, and in the plain form of the reference never more, in default and strict evaluation', async () => {
  const tallies = { default: newTally(), strict: newTally() };
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: false, runtime: random.chance(0.5) });
    const { policies, traced } = await loaded(
      compileTexts(policyFiles(random.chance(0.4) ? withSharedNames(random, documents) : documents)),
    );
    const options = { defaultScope: random.pick(['', '', 'a', '.a']), lenientScopeSearch: random.chance(0.4) };
    const strict = { ...options, strictEvaluation: true, traced: await traced() };
    const engines = {
      default: enginesOf(policies, options, ['exact', 'default', 'plain']),
      strict: enginesOf(policies, strict, ['exact', 'default', 'plain']),
    };
    for (let i = 0; i < REQUESTS; i += 1) {
      const { principal, resource, actions } = randomRequest(random);
      const { kind, scope, policyVersion } = resource;
      const attr = random.chance(0.3) ? randomAttributes(random) : {};
      const rows = Array.from({ length: ROWS }, () => ({ ...randomAttributes(random), ...attr }));
      const asked = random.chance(0.8) ? actions.slice(0, 1) : actions;
      const request = { principal, resource: { kind, scope, policyVersion, attr }, actions: asked };
      for (const evaluation of ['default', 'strict'] as const) {
        compareOne({
          engines: engines[evaluation],
          request,
          rows,
          id: resource.id,
          tally: tallies[evaluation],
          place: `${evaluation} evaluation, seed ${seed}, request ${i}`,
        });
      }
    }
  }
  for (const [evaluation, { wrong, ...tally }] of Object.entries(tallies)) {
    console.log(`  ${evaluation} evaluation, seeds ${SEED} to ${SEED + STORES - 1}: ${JSON.stringify(tally)}`);
    assert.is(wrong.length, 0, wrong.slice(0, 3).join('\n'));
    assert.ok(tally.allowed > tally.rows / 20 && tally.conditional > tally.plans / 10, 'the stores say too little');
  }
});

test.run();

interface Tally {
  plans: number;
  conditional: number;
  /** With a rule that no filter can express: it is left out, so the filter may select too few rows. */
  notWhole: number;
  rows: number;
  allowed: number;
  overGrants: number;
  underGrants: number;
  /** Differences of the reference's form. */
  underGrantsOfPlain: number;
  readonly wrong: string[];
}

function newTally(): Tally {
  return {
    plans: 0,
    conditional: 0,
    notWhole: 0,
    rows: 0,
    allowed: 0,
    overGrants: 0,
    underGrants: 0,
    underGrantsOfPlain: 0,
    wrong: [],
  };
}

type Engines = readonly (readonly [writing: string, engine: Engine])[];

function enginesOf(
  policies: Parameters<typeof createEngine>[0],
  options: EngineOptions,
  writings: readonly string[],
): Engines {
  return writings.map((writing) => [
    writing,
    createEngine(policies, { ...options, plan: WRITINGS[writing] as Writing }),
  ]);
}

interface Comparison {
  readonly engines: Engines;
  readonly request: Parameters<Engine['plan']>[0];
  readonly rows: readonly { readonly [name: string]: unknown }[];
  readonly id: string;
  readonly tally: Tally;
  readonly place: string;
}

/** All of several actions must be allowed. */
function compareOne({ engines, request, rows, id, tally, place }: Comparison): void {
  const { principal, resource, actions } = request;
  const engine = engines[0]?.[1] as Engine;
  const plans = engines.map(([writing, planner]) => ({ writing, ...planner.plan(request) }));
  // Without listed attributes, what reads only the row is evaluated once.
  if (Object.keys(resource.attr ?? {}).length === 0)
    for (const [position, [, planner]] of engines.entries()) {
      const { attr: _, ...anyRow } = resource;
      const { filter, unplanned } = planner.plan({ ...request, resource: anyRow });
      const { filter: fresh, unplanned: freshUnplanned } = plans[position] as (typeof plans)[number];
      assert.equal({ filter, unplanned }, { filter: fresh, unplanned: freshUnplanned }, place);
    }
  const isWhole = plans.every(({ unplanned }) => unplanned.length === 0);
  const sent = JSON.parse(JSON.stringify(plans.find(({ writing }) => writing === 'default')?.filter)) as Filter;
  tally.plans += 1;
  if (!isWhole) tally.notWhole += 1;
  if (plans[0]?.filter.kind === 'KIND_CONDITIONAL') tally.conditional += 1;
  for (const attr of rows) {
    const allowed = actions.every((action) =>
      engine.isAllowed({ principal, resource: { ...resource, id, attr }, action }),
    );
    tally.rows += 1;
    if (allowed) tally.allowed += 1;
    const row = { id, attr, policyVersion: resource.policyVersion };
    const outcomes = plans.map(({ writing, filter }) => ({ writing, filter, isSelected: selects(filter, row) }));
    outcomes.push({ writing: 'wire', filter: sent, isSelected: selectsByOracle(sent, row) });
    for (const { writing, filter, isSelected } of outcomes) {
      if (isSelected === allowed) continue;
      if (isSelected) tally.overGrants += 1;
      else if (writing === 'plain') tally.underGrantsOfPlain += 1;
      else tally.underGrants += 1;
      if (isSelected || (writing !== 'plain' && isWhole)) {
        tally.wrong.push(
          `${place}: ${writing} ${isSelected ? 'selects' : 'does not select'} ${JSON.stringify(attr)} for ${JSON.stringify(request)}\n  ${filterText(filter)}`,
        );
      }
    }
  }
}

/** What an evaluator selects that is not the product's. */
function selectsByOracle(filter: Filter, row: WireRow): boolean {
  return filter.kind === 'KIND_CONDITIONAL'
    ? selectsRow(filter.condition as WireOperand, row)
    : filter.kind === 'KIND_ALWAYS_ALLOWED';
}
