import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine, type PlanRequest } from '../../runtime/engine/index.js';
import type { Attributes } from '../../runtime/policy/index.js';
import { type Filter, filterText, FLAT, REFERENCE, selects, type Writing } from '../../runtime/residual/index.js';
import { type Document, policyFiles } from '../support/oracle/documents.js';
import { Random } from '../support/oracle/random.js';
import { randomRequest, randomStore } from '../support/oracle/random-store.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { documentOf, hostileAttributes } from '../support/sql/hostile-rows.js';
import { KIND, randomPolicies, randomPrincipal } from '../support/sql/random-policies.js';
import { render, type Rendering } from './renderer.js';
import { ResourceTable } from './resource-table.js';
import { SEED, rounds } from '../support/effort.js';

/**
 * The number of stores of each family; SEED is the first seed. Each is asked for some plans, and each conditional one
 * runs over 32 rows.
 */
const STORES = rounds(12);
const ROWS = 32;

const WRITINGS: { readonly [name: string]: Writing } = {
  exact: { shapes: 'flat', nots: 'exact' },
  guarded: FLAT,
  plain: REFERENCE,
};

const test = suite('plans run by SQLite');

test('policies with every feature: SQLite selects exactly the rows that check allows', async () => {
  await compare('features', 16, (random) => {
    const documents = randomStore(random, { outputs: false, runtime: random.chance(0.5) });
    const options = { defaultScope: random.pick(['', '', 'a', '.a']), lenientScopeSearch: random.chance(0.4) };
    const request = (): PlanRequest => {
      const { principal, resource, actions } = randomRequest(random);
      const { kind, scope, policyVersion } = resource;
      return {
        principal,
        resource: { kind, scope, policyVersion, attr: random.chance(0.3) ? hostileAttributes(random) : {} },
        actions: actions.slice(0, 1),
      };
    };
    return { documents, options, request };
  });
});

test('conditions with every operator: SQLite selects exactly the rows that check allows', async () => {
  await compare('operators', 4, (random) => {
    const documents = randomPolicies(random);
    const known = (): Attributes =>
      random.chance(0.15) ? Object.fromEntries(Object.entries(hostileAttributes(random)).slice(0, 2)) : {};
    const request = (): PlanRequest => ({
      principal: randomPrincipal(random),
      resource: { kind: KIND, attr: known() },
      actions: ['view'],
    });
    return { documents, options: {}, request };
  });
});

test.run();

interface Family {
  readonly documents: readonly Document[];
  readonly options: Parameters<typeof createEngine>[1];
  readonly request: () => PlanRequest;
}

/**
 * Compares three sets of rows for each plan: those that check allows, that the filter evaluator selects, and that
 * SQLite selects. The last two are equal in every form. In the exact form they equal the first, and in the others they
 * are subsets of it.
 */
async function compare(name: string, requests: number, familyOf: (random: Random) => Family): Promise<void> {
  const tally = new Tally();
  const table = await ResourceTable.open();
  for (let seed = SEED; seed < SEED + STORES; seed += 1) {
    const random = new Random(seed);
    const { documents, options, request: requestOf } = familyOf(random);
    const { policies } = await loaded(compileTexts(policyFiles(documents)));
    const engines = Object.entries(WRITINGS).map(
      ([writing, plan]) => [writing, createEngine(policies, { ...options, plan })] as const,
    );
    for (let i = 0; i < requests; i += 1) {
      const request = requestOf();
      if (!tally.isConditional(engines[0]?.[1].plan(request).filter)) continue;
      const rows = Array.from({ length: ROWS }, () => rowOf(random, request));
      table.fill(rows.map(({ id, attr }) => ({ id, attr: documentOf(attr) })));
      for (const [writing, engine] of engines) compareOne({ name, seed, writing, engine, request, rows, table, tally });
    }
  }
  table.close();
  console.log(
    `  ${name}: seeds ${SEED} to ${SEED + STORES - 1}, ${requests} requests a store, ${ROWS} rows\n${tally.text()}`,
  );
  assert.is(tally.wrong.length, 0, `${tally.wrong.length} disagreements\n${tally.wrong.slice(0, 5).join('\n')}`);
  assert.ok(
    STORES < 10 || (tally.selected > tally.rows / 50 && tally.rendered > tally.conditional / 3),
    'the stores say too little',
  );
}

interface Comparison {
  readonly name: string;
  readonly seed: number;
  readonly writing: string;
  readonly engine: Engine;
  readonly request: PlanRequest;
  readonly rows: readonly Row[];
  readonly table: ResourceTable;
  readonly tally: Tally;
}

function compareOne({ name, seed, writing, engine, request, rows, table, tally }: Comparison): void {
  const { filter, unplanned } = engine.plan(request);
  const rendering = render(filter);
  if (writing === 'exact') tally.count(rendering);
  if (rendering.kind === 'refused') return;
  const selected = table.select(rendering);
  const { principal, resource, actions } = request;
  for (const [position, { id, attr }] of rows.entries()) {
    const inSql = selected.has(position);
    const inProcess = selects(filter, { id, attr, policyVersion: resource.policyVersion });
    const allowed = engine.isAllowed({ principal, resource: { ...resource, id, attr }, action: actions[0] as string });
    tally.row(writing, allowed, inSql);
    const problem = problemOf({ inSql, inProcess, allowed, isExact: writing !== 'plain' && unplanned.length === 0 });
    if (problem !== undefined)
      tally.wrong.push(
        `${problem}: ${name}, ${writing}, seed ${seed}: ${JSON.stringify(request)}\n  row ${id} ${documentOf(attr)}\n  ${filterText(filter)}\n  ${rendering.sql.slice(0, 500)}`,
      );
  }
}

function problemOf(row: {
  readonly inSql: boolean;
  readonly inProcess: boolean;
  readonly allowed: boolean;
  readonly isExact: boolean;
}): string | undefined {
  if (row.inSql !== row.inProcess)
    return row.inSql ? 'SQL selects what the evaluator does not' : 'the evaluator selects what SQL does not';
  if (row.inSql && !row.allowed) return 'over-grant';
  return row.isExact && !row.inSql && row.allowed ? 'under-grant' : undefined;
}

/** The counts of the runs. */
class Tally {
  plans = 0;
  rendered = 0;
  conditional = 0;
  rows = 0;
  selected = 0;
  readonly wrong: string[] = [];
  readonly #refused = new Map<string, number>();
  readonly #fewer = new Map<string, number>();

  /** The tests of plans cover filters that are always or never true. */
  isConditional(filter: Filter | undefined): boolean {
    this.plans += 1;
    if (filter?.kind !== 'KIND_CONDITIONAL') return false;
    this.conditional += 1;
    return true;
  }

  count(rendering: Rendering): void {
    if (rendering.kind === 'sql') this.rendered += 1;
    else increase(this.#refused, rendering.operator);
  }

  row(writing: string, allowed: boolean, isSelected: boolean): void {
    this.rows += 1;
    if (isSelected) this.selected += 1;
    if (allowed && !isSelected) increase(this.#fewer, writing);
  }

  text(): string {
    const summaryOf = (counts: ReadonlyMap<string, number>): string =>
      [...counts]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([name, count]) => `${name} ${count}`)
        .join(', ') || 'none';
    return [
      `    ${this.plans} plans, ${this.conditional} conditional; rendered ${this.rendered}, refused ${this.conditional - this.rendered} (${summaryOf(this.#refused)})`,
      `    ${this.rows} rows in three writings, ${this.selected} selected; disagreements ${this.wrong.length}; allowed and not selected: ${summaryOf(this.#fewer)}`,
    ].join('\n');
  }
}

function increase(counts: Map<string, number>, name: string): void {
  counts.set(name, (counts.get(name) ?? 0) + 1);
}

interface Row {
  readonly id: string;
  readonly attr: Attributes;
}

/** With ids that occur more than once. */
function rowOf(random: Random, { resource }: PlanRequest): Row {
  return { id: random.pick(['r', 'x', 'r\u00e9', 'u1']), attr: { ...hostileAttributes(random), ...resource.attr } };
}
