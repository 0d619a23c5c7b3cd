import { Query } from 'mingo';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { type Combined, conformance, type Finding, ROWS } from '../../packages/adapters/conformance/index.js';
import { mongodbAdapter, UnsupportedPlanError } from '../../packages/adapters/mongodb/index.js';
import type { Filter, Operand } from '../../runtime/residual/filters.js';
import { loaded } from '../support/compiled.js';
import { acceptedStore, FAMILIES, GLOBALS, NOW } from '../support/cel/condition-stores.js';
import { PLACES } from '../support/mutants/conditions.js';
import { Random } from '../support/oracle/random.js';
import { randomTypedAttributes } from './random-conditions.js';
import { compared, randomPlans, type RandomPlan, type StoredRow } from './random-plans.js';
import { SEED, rounds } from '../support/effort.js';

/** Stores of conditions of every sort, and the first seed. */
const STORES = rounds(2);

interface Note {
  readonly _id: string;
  readonly owner?: string;
  readonly status?: string;
  readonly amount?: number;
  readonly price: number | null;
  readonly shared?: boolean;
  readonly tags: readonly string[];
  readonly home?: object;
  readonly shares: readonly object[];
}

const allowed = mongodbAdapter<Note>('notes', {
  id: '_id',
  attributes: {
    owner: 'owner',
    status: 'status',
    amount: 'amount',
    price: 'price',
    shared: 'shared',
    tags: 'tags',
    home: 'home',
    shares: 'shares',
  },
});

const test = suite('adapter for MongoDB');

test('a filter selects exactly the documents that check allows', async () => {
  const documents = ROWS.map(({ id, attr }) => ({ _id: id, ...attr }));
  const idsOf = (filter: object): readonly string[] => {
    const query = new Query(filter);
    return documents.filter((document) => query.test(document)).map(({ _id }) => _id);
  };
  const report = await conformance({
    rows: 'all',
    select(plan) {
      const query = new Query(allowed(plan, { rules: plan.rules }) as object);
      return documents.filter((document) => query.test(document)).map(({ _id }) => _id);
    },
    ways: { 'beside a field': (plan) => idsOf({ ...allowed(plan), _id: { $exists: true } }) },
    combine: (combined) => idsOf(combinedFilter(combined)),
    attributesOf: (id) => allowed.attributesOf(documents.find(({ _id }) => _id === id) as object),
  });
  const { overGrants, underGrants, refusals, failures, ...counts } = report;
  console.log(`  ${JSON.stringify({ ...counts, underGrants: underGrants.length, refusals: refusals.length })}`);
  assert.equal(
    overGrants.filter((finding) => !isOfMingo(finding)),
    [],
  );
  assert.equal(failures, []);
  assert.equal(
    underGrants.filter((finding) => !isOfMingo(finding) && !isOfObjects(finding)),
    [],
  );
  assert.ok(counts.exact > 290, 'the adapter refuses too much');
});

test('a filter selects exactly the documents that check allows, for random conditions', async () => {
  const { rows, plans } = await randomPlans(randomTypedAttributes);
  const documents = rows.map(({ id, attr }) => ({ _id: id, ...attr }));
  const tally = compared(plans, rows, ({ filter }) => selected(allowed, filter, documents));
  assert.equal(tally.overGrants.filter((text) => !hasOrder(text)).slice(0, 5), []);
  assert.equal(tally.underGrants.filter((text) => !hasOrder(text) && !hasLargeNumber(text)).slice(0, 5), []);
  assert.ok(tally.selected > tally.plans * 10, 'the adapter refuses too much');
});

for (const [name, family] of Object.entries(FAMILIES))
  test(`a filter selects no document that check denies, over hostile documents: conditions ${name}`, async () => {
    for (let seed = SEED; seed < SEED + STORES; seed += 1) {
      const random = new Random(seed);
      const store = acceptedStore(family, random, 40);
      const { policies } = await loaded(store.compilation);
      const engine = createEngine(policies, { clock: () => NOW, globals: GLOBALS });
      const principal = { id: 'u1', roles: ['user'], attr: family.principal(random) };
      const rows = Array.from({ length: 40 }, (_, index): StoredRow => {
        return { id: `r${index}`, attr: JSON.parse(JSON.stringify(family.row(random))) };
      });
      const names = new Set(rows.flatMap(({ attr }) => Object.keys(attr)));
      const adapter = mongodbAdapter<{ readonly [name: string]: unknown }>('things', {
        id: '_id',
        attributes: Object.fromEntries([...names].map((attribute) => [attribute, attribute])),
      });
      const plans = store.conditions.flatMap(([index, condition]) =>
        Object.keys(PLACES).map((place): RandomPlan => {
          const kind = `kind${index}`;
          const { filter, unplanned } = engine.plan({ principal, resource: { kind }, actions: [place] });
          return {
            name: `seed ${seed}: ${place} ${condition}`,
            filter: JSON.parse(JSON.stringify(filter)) as Filter,
            isWhole: unplanned.length === 0,
            isAllowed: ({ id, attr }) => engine.isAllowed({ principal, resource: { kind, id, attr }, action: place }),
          };
        }),
      );
      const documents = rows.map(({ id, attr }) => ({ ...attr, _id: id }));
      const tally = compared(plans, rows, ({ filter }) => selected(adapter, filter, documents));
      assert.equal(tally.overGrants.filter((text) => !hasOrder(text)).slice(0, 5), []);
      assert.ok(tally.selected > 100, 'the adapter refuses too much');
    }
  });

test('a value that JSON does not have is never selected by a condition that reads it', () => {
  const strange = [new Date(0), Number.NaN, Number.POSITIVE_INFINITY, /x/, new Uint8Array(1), Symbol('x'), () => 1];
  const owner = { variable: 'request.resource.attr.owner' };
  const tags = { variable: 'request.resource.attr.tags' };
  const is = (operator: string, ...operands: readonly Operand[]): Operand => ({ expression: { operator, operands } });
  const t = { variable: 't' };
  const conditions = [
    is('eq', owner, { value: 'x' }),
    is('lt', owner, { value: 1 }),
    is('in', owner, { value: ['x', null] }),
    is('startsWith', owner, { value: 'x' }),
    is('endsWith', owner, { value: 'x' }),
    is('gt', is('size', owner), { value: 1 }),
    is('eq', is('type', owner), { variable: 'string' }),
    is('eq', owner, { variable: 'request.resource.attr.status' }),
    is('has', owner),
    is('has', { variable: 'request.resource.attr.owner.name' }),
    is('eq', { variable: 'request.resource.attr.owner.name' }, { value: 'x' }),
    is('in', { value: 'x' }, owner),
    is('exists', owner, is('lambda', is('lt', t, { value: 'x' }), t)),
    is('all', tags, is('lambda', is('ne', t, { value: 'x' }), t)),
    is('all', tags, is('lambda', is('lt', t, { value: 'x' }), t)),
    owner,
  ];
  for (const condition of conditions)
    for (const place of [condition, is('not', condition), is('unless', condition), is('unless', is('not', condition))])
      for (const value of strange) {
        const document = { _id: 'n1', owner: value, tags: [value], status: 'open' };
        const filter: Filter = { kind: 'KIND_CONDITIONAL', condition: place };
        assert.equal(selected(allowed, filter, [document]), new Set(), `${JSON.stringify(place)} of ${String(value)}`);
      }
});

test('tests that an index can answer are operators of find', () => {
  const owner = { variable: 'request.resource.attr.owner' };
  const filterOf = (operator: string, ...operands: readonly Operand[]) =>
    allowed({ filter: { kind: 'KIND_CONDITIONAL', condition: { expression: { operator, operands } } } });
  // The expression is the same test, for what Mongoose and applications make of the operators.
  const operatorsOf = ({ $expr, ...operators }: { readonly [name: string]: unknown }): object => {
    assert.type($expr, 'object');
    return operators;
  };
  assert.equal(operatorsOf(filterOf('eq', owner, { value: 'anna' })), {
    owner: { $eq: 'anna', $not: { $type: 'array' } },
  });
  assert.equal(operatorsOf(filterOf('in', { value: 'x' }, { variable: 'request.resource.attr.tags' })), {
    tags: { $elemMatch: { $eq: 'x', $not: { $type: 'array' } } },
  });
  assert.equal(operatorsOf(filterOf('startsWith', owner, { value: 'a.b' })), {
    owner: { $regex: '^a\\.b', $not: { $type: 'array' } },
  });
});

test('a refusal names the rule, and long filters and names that no path can have are refused', () => {
  const field = (name: string): Operand => ({
    expression: { operator: 'index', operands: [{ variable: 'request.resource.attr.home' }, { value: name }] },
  });
  for (const name of ['a.b', '$where', '', 'a\0'])
    assert.throws(
      () => allowed({ filter: { kind: 'KIND_CONDITIONAL', condition: field(name) } }),
      /^the plan has no condition for the collection `notes`: `index`: a name that no path of MongoDB can have/,
    );
  const shared = { variable: 'request.resource.attr.shared' };
  let condition: Operand = shared;
  for (let depth = 0; depth < 14; depth += 1)
    condition = { expression: { operator: 'if', operands: [condition, shared, condition] } };
  const filter: Filter = { kind: 'KIND_CONDITIONAL', condition };
  assert.throws(
    () => allowed({ filter }, { rules: () => [{ policy: 'resource.note.vdefault', rule: 'nested', filter }] }),
    /rule `nested` of `resource\.note\.vdefault`: `filter`: the query would have more than 5000 parts/,
  );
});

test('a mapping names fields of the document', () => {
  // @ts-expect-error documents have no such field
  const renamed = mongodbAdapter<Note>('notes', { attributes: { owner: 'renamed' } });
  const below = mongodbAdapter<Note>('notes', { attributes: { city: 'home.city' } });
  for (const adapter of [renamed, below]) assert.equal(adapter({ filter: { kind: 'KIND_ALWAYS_ALLOWED' } }), {});
});

test.run();

function selected(
  adapter: (plan: { readonly filter: Filter }) => object,
  filter: Filter,
  documents: readonly { readonly _id: string }[],
): ReadonlySet<string> | undefined {
  try {
    const query = new Query(adapter({ filter }));
    return new Set(documents.filter((document) => query.test(document)).map(({ _id }) => _id));
  } catch (error) {
    // mingo refuses a name that is one of JavaScript.
    if (error instanceof UnsupportedPlanError || String(error).includes('Accessing __proto__')) return undefined;
    throw error;
  }
}

/** A combination of the kit as a filter. */
function combinedFilter(combined: Combined): object {
  if ('plan' in combined) return allowed(combined.plan);
  if ('ids' in combined) return { _id: { $in: combined.ids } };
  if ('not' in combined) return { $nor: [combinedFilter(combined.not)] };
  return 'and' in combined ? { $and: combined.and.map(combinedFilter) } : { $or: combined.or.map(combinedFilter) };
}

/** mingo orders strings by UTF-16, and takes large doubles for integers of 64 bits; MongoDB does neither. */
function isOfMingo({ condition, ids }: Finding): boolean {
  if (/[<>]/.test(condition) && ids.join() === 'beyond 16 bits') return true;
  return condition.includes('R.attr.price') && ids.every((id) => id === 'large' || id === 'extreme');
}

/** An object in the place of a list is not selected (docs/adapters.md#mongodb). */
function isOfObjects({ condition, ids }: Finding): boolean {
  if (condition === '"city" in R.attr.home') return true;
  return ids.every((id) => /^(tags|shares): (empty object|object)/.test(id));
}

function hasOrder(text: string): boolean {
  return /[<>]/.test(text) && /[\uffff\u{10000}-\u{10ffff}]/u.test(text);
}

function hasLargeNumber(text: string): boolean {
  return /\d{10}|e\+/.test(text);
}
