import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine, type Engine } from '../../runtime/engine/index.js';
import type { Attributes } from '../../runtime/policy/index.js';
import { type Filter, filterText, NULLS } from '../../runtime/residual/index.js';
import { acceptedStore, FAMILIES, type Family, GLOBALS, NOW } from '../support/cel/condition-stores.js';
import { PLACES, TYPED, typedRow } from '../support/mutants/conditions.js';
import { selectsNullRow } from '../support/oracle/null-rows.js';
import { NotJudged, type WireOperand } from '../support/oracle/operands.js';
import { Random } from '../support/oracle/random.js';
import { randomAttributes, randomRequest, randomStore } from '../support/oracle/random-store.js';
import { policyFiles } from '../support/oracle/documents.js';
import { documentOf } from '../support/sql/hostile-rows.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { SEED, rounds } from '../support/effort.js';

/** The number of stores with random conditions and of random stores; SEED is the first seed. */
const STORES = rounds(6);

const test = suite('plans that say with null what is missing');

/**
 * Conditions of which fewer rows are selected than check allows: presence below an attribute, and what fails because of
 * a type and not because something is missing.
 */
const NARROW: readonly string[] = [
  'allow !has(R.attr.map.a)',
  'deny !has(R.attr.map.a)',
  'deny R.attr.y == !(!R.attr.x)',
  'deny R.attr.y == ["a"].exists(i, R.attr.x)',
  'deny {"p": R.attr.n, "q": !(R.attr.x)}.p > 1.0',
  'none !has(R.attr.map.a)',
  'none R.attr.y == !(!R.attr.x)',
  'none R.attr.y == ["a"].exists(i, R.attr.x)',
  'none {"p": R.attr.n, "q": !(R.attr.x)}.p > 1.0',
];

test('typical conditions select the rows that check allows', async () => {
  const typed: Family = {
    condition: () => '',
    variables: () => ({}),
    constants: {},
    principal: () => ({ teams: ['a', 'b'], levels: { a: 1, b: 2 } }),
    row: (random) => ({ list: [], ...typedRow((of) => random.pick(of)) }),
  };
  const conditions = [...TYPED];
  const store = acceptedStore({ ...typed, condition: () => conditions.shift() as string }, new Random(1), TYPED.length);
  const tally = newTally();
  await compareStore(store, typed, 1, 60, tally);
  console.log(`  ${TYPED.length} typical conditions: ${countsOf(tally)}`);
  assert.equal([...tally.over.values()], []);
  assert.equal([...tally.under.keys()].sort(), NARROW);
});

for (const [name, family] of Object.entries(FAMILIES)) {
  test(`no row is selected that check denies: conditions ${name}`, async () => {
    const tally = newTally();
    for (let seed = SEED; seed < SEED + STORES; seed += 1)
      await compareStore(acceptedStore(family, new Random(seed), 40), family, seed, 16, tally);
    console.log(`  conditions ${name}: ${countsOf(tally)}`);
    assert.equal([...tally.over.values()].slice(0, 5), []);
    assert.ok(tally.selected > tally.rows / 50, 'the filters select too little');
  });
}

test('a list that must not be empty has more than no elements', async () => {
  const { policies } = await loaded(
    compileTexts({
      'albums.yaml': `apiVersion: api.authz.dev/v1
resourcePolicy:
  resource: album
  version: default
  rules:
    - {actions: [listed], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: '!(size(R.attr.tags) == 0)'}}}
    - {actions: [unequal], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: 'size(R.attr.tags) != 0'}}}
    - {actions: [two], effect: EFFECT_ALLOW, roles: [user], condition: {match: {expr: '!(size(R.attr.tags) == 2)'}}}
`,
    }),
  );
  const engine = createEngine(policies, { plan: NULLS });
  const filter = (action: string): string =>
    filterText(
      engine.plan({ principal: { id: 'u', roles: ['user'], attr: {} }, resource: { kind: 'album' }, actions: [action] })
        .filter,
    );
  assert.is(filter('listed'), '(gt (size request.resource.attr.tags) 0)');
  assert.is(filter('unequal'), '(gt (size request.resource.attr.tags) 0)');
  assert.match(filter('two'), '(ne (size request.resource.attr.tags) 2)');
});

test('no row is selected that check denies: random policies', async () => {
  const tally = newTally();
  for (let seed = SEED; seed < SEED + 10 * STORES; seed += 1) {
    const random = new Random(seed);
    const documents = randomStore(random, { outputs: false, runtime: random.chance(0.5) });
    const { policies } = await loaded(compileTexts(policyFiles(documents)));
    const engine = createEngine(policies, { plan: NULLS });
    for (let round = 0; round < 8; round += 1) {
      const { principal, resource, actions } = randomRequest(random);
      const { attr: _, id, ...rest } = resource;
      const request = { principal, resource: rest, actions: actions.slice(0, 1) };
      const rows = Array.from({ length: 16 }, () => withoutNulls(randomAttributes(random)) as Attributes);
      compareOne(engine, request, rows, `seed ${seed}, request ${round}`, id, tally);
    }
  }
  console.log(`  random policies: ${countsOf(tally)}`);
  assert.equal([...tally.over.values()].slice(0, 5), []);
  assert.ok(tally.selected > 0);
});

test.run();

interface Tally {
  rows: number;
  selected: number;
  /** Rows that check allows and the filter does not select. */
  missed: number;
  /** Rows of filters that the interpreter does not know. */
  notJudged: number;
  /** An example of each condition that selects a row which check denies, or the other way round. */
  readonly over: Map<string, string>;
  readonly under: Map<string, string>;
}

function newTally(): Tally {
  return { rows: 0, selected: 0, missed: 0, notJudged: 0, over: new Map(), under: new Map() };
}

function countsOf({ over, under, ...counts }: Tally): string {
  return JSON.stringify({ ...counts, over: over.size, under: under.size });
}

async function compareStore(
  store: ReturnType<typeof acceptedStore>,
  family: Family,
  seed: number,
  rowCount: number,
  tally: Tally,
): Promise<void> {
  const random = new Random(seed);
  const { policies } = await loaded(store.compilation);
  const engine = createEngine(policies, { clock: () => NOW, globals: GLOBALS, plan: NULLS });
  for (const [index, condition] of store.conditions) {
    const principal = { id: random.pick(['u1', 'alice']), roles: ['user'], attr: family.principal(random) };
    const rows = Array.from({ length: rowCount }, () => withoutNulls(family.row(random)) as Attributes);
    for (const place of Object.keys(PLACES)) {
      const request = { principal, resource: { kind: `kind${index}` }, actions: [place] };
      compareOne(engine, request, rows, `${place} ${condition}`, 'r', tally);
    }
  }
}

function compareOne(
  engine: Engine,
  request: Parameters<Engine['plan']>[0],
  rows: readonly Attributes[],
  name: string,
  id: string,
  tally: Tally,
): void {
  const { principal, resource, actions } = request;
  const { filter } = engine.plan(request);
  const wire = JSON.parse(documentOf(filter)) as Filter;
  assert.not.match(JSON.stringify(wire), /"operator":"(?:has|unless)"/, name);
  for (const attr of rows) {
    const allowed = engine.isAllowed({
      principal,
      resource: { ...resource, id, attr },
      action: (actions as readonly [string])[0],
    });
    for (const missing of ['unknown', 'unequal'] as const) {
      tally.rows += 1;
      let isSelected: boolean;
      try {
        isSelected =
          wire.kind === 'KIND_CONDITIONAL'
            ? selectsNullRow(
                wire.condition as WireOperand,
                { id, attr, policyVersion: resource.policyVersion },
                missing,
              )
            : wire.kind === 'KIND_ALWAYS_ALLOWED';
      } catch (error) {
        if (!(error instanceof NotJudged)) throw error;
        tally.notJudged += 1;
        continue;
      }
      if (isSelected) tally.selected += 1;
      if (isSelected === allowed) continue;
      if (!isSelected) tally.missed += 1;
      const found = isSelected ? tally.over : tally.under;
      if (found.has(name)) continue;
      const detail = `${name}: ${isSelected ? 'SELECTS' : 'does not select'} ${documentOf(attr)} where NULL is ${missing}, of ${documentOf(principal.attr)}\n  ${filterText(wire)}`;
      found.set(name, detail);
    }
  }
}

/** As programs send attributes: what is NULL is left out. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.filter((item) => item !== null).map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => (item === null ? [] : [[name, withoutNulls(item)]])),
  );
}
