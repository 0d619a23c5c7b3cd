import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine, type EngineOptions } from '../../runtime/engine/index.js';
import type { Attributes } from '../../runtime/policy/index.js';
import {
  type Filter,
  filterText,
  FLAT,
  REFERENCE,
  selects,
  selectsWith,
  type Writing,
} from '../../runtime/residual/index.js';
import { loaded } from '../support/compiled.js';
import { acceptedStore, FAMILIES, type Family, GLOBALS, NOW } from '../support/cel/condition-stores.js';
import { PLACES } from '../support/mutants/conditions.js';
import { Random } from '../support/oracle/random.js';
import { documentOf } from '../support/sql/hostile-rows.js';
import { functionsOf } from '../support/plan/filter-functions.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of stores with random conditions, and of conditions in each; SEED is the first seed. */
const STORES = rounds(8);
const CONDITIONS = rounds(40);
const PRINCIPALS = 3;
const ROWS = 24;

/**
 * The first two select exactly what check allows. The reference's may select less
 * (docs/spec/plans.md#d-09-two-kinds-of-not).
 */
const WRITINGS: { readonly [name: string]: Writing } = {
  exact: { shapes: 'flat', nots: 'exact' },
  default: FLAT,
  plain: REFERENCE,
};

const test = suite('plans of random expressions');

for (const [name, family] of Object.entries(FAMILIES)) {
  test(`a filter selects every row that check allows, and no other: conditions ${name}`, async () => {
    const tally = newTally();
    for (let seed = SEED; seed < SEED + STORES; seed += 1) await compareStore(family, seed, tally);
    const { wrong, ...counts } = tally;
    console.log(`  conditions ${name}, seeds ${SEED} to ${SEED + STORES - 1}: ${JSON.stringify(counts)}`);
    assert.ok(
      wrong.size === 0,
      `${wrong.size} conditions are planned wrongly\n${shortest([...wrong.values()]).join('\n')}`,
    );
    assert.ok(tally.conditional > tally.plans / 10 && tally.allowed > tally.rows / 20, 'the conditions say too little');
  });
}

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
  /** Conditions that the compiler rejects. */
  refused: number;
  /** The first such row by condition. */
  readonly wrong: Map<string, string>;
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
    refused: 0,
    wrong: new Map(),
  };
}

async function compareStore(family: Family, seed: number, tally: Tally): Promise<void> {
  const random = new Random(seed);
  const store = acceptedStore(family, random, CONDITIONS);
  tally.refused += store.refused;
  const { policies, traced } = await loaded(store.compilation);
  const options: EngineOptions = {
    clock: () => NOW,
    globals: GLOBALS,
    ...(random.chance(0.3) && { strictEvaluation: true, traced: await traced() }),
  };
  const engines = Object.entries(WRITINGS).map(
    ([writing, plan]) => [writing, createEngine(policies, { ...options, plan })] as const,
  );
  for (const [index, condition] of store.conditions) {
    const functions = functionsOf(store.compilation.program, `kind${index}`);
    for (let i = 0; i < PRINCIPALS; i += 1) {
      const principal = { id: random.pick(['u1', 'alice']), roles: ['user'], attr: family.principal(random) };
      const listed = random.chance(0.2) ? family.row(random) : {};
      const rows = Array.from({ length: ROWS }, () => ({ ...family.row(random), ...listed }));
      for (const place of Object.keys(PLACES)) {
        compareOne({
          engines,
          condition: `${place} ${condition}`,
          functions,
          request: { principal, resource: { kind: `kind${index}`, attr: listed }, actions: [place] },
          rows,
          tally,
          seed,
        });
      }
    }
  }
}

interface Comparison {
  readonly engines: readonly (readonly [writing: string, engine: Engine])[];
  readonly condition: string;
  /** Of a bundle with this condition alone. */
  readonly functions: ReturnType<typeof functionsOf>;
  readonly request: Parameters<Engine['plan']>[0];
  readonly rows: readonly Attributes[];
  readonly tally: Tally;
  readonly seed: number;
}

function compareOne({ engines, condition, functions, request, rows, tally, seed }: Comparison): void {
  const { principal, resource, actions } = request;
  const [action] = actions as [string];
  const [[, checker]] = engines as [(typeof engines)[number]];
  const plans = engines.map(([writing, engine]) => {
    const { filter, unplanned } = engine.plan(request);
    return { writing, filter: overTheWire(filter), isWhole: unplanned.length === 0 };
  });
  if (Object.keys(resource.attr ?? {}).length === 0)
    for (const [position, [, engine]] of engines.entries())
      assert.equal(
        overTheWire(engine.plan({ ...request, resource: { kind: resource.kind } }).filter),
        plans[position]?.filter,
        `seed ${seed}, ${condition}: without listed attributes, what reads only the row is evaluated once`,
      );
  tally.plans += 1;
  if (plans.some(({ isWhole }) => !isWhole)) tally.notWhole += 1;
  if (plans[0]?.filter.kind === 'KIND_CONDITIONAL') tally.conditional += 1;
  for (const attr of rows) {
    const allowed = checker.isAllowed({ principal, resource: { ...resource, id: 'r', attr }, action });
    tally.rows += 1;
    if (allowed) tally.allowed += 1;
    for (const { writing, filter, isWhole } of plans) {
      const row = { id: 'r', attr, now: NOW };
      const isSelected = selects(filter, row);
      assert.is(selectsWith(functions, filter, row), isSelected, `seed ${seed}, ${condition}`);
      if (isSelected === allowed || (!isSelected && (writing === 'plain' || !isWhole))) continue;
      if (isSelected) tally.overGrants += 1;
      else tally.underGrants += 1;
      const detail = `${writing} ${isSelected ? 'SELECTS' : 'does not select'} ${documentOf(attr)}, listed ${documentOf(resource.attr)}, of ${documentOf(principal.attr)}`;
      if (!tally.wrong.has(condition))
        tally.wrong.set(condition, `seed ${seed}, ${condition}\n  ${detail}\n  ${filterText(filter)}`);
    }
  }
}

/** A filter as a client receives it. */
function overTheWire(filter: Filter): Filter {
  return JSON.parse(documentOf(filter)) as Filter;
}

/** The shortest ones, which are the easiest to understand. */
function shortest(texts: readonly string[]): readonly string[] {
  return [...texts].sort((a, b) => a.length - b.length).slice(0, 12);
}
