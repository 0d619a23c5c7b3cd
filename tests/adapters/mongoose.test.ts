import { Query } from 'mingo';
import mongoose from 'mongoose';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { conformanceCases, ROWS } from '../../packages/adapters/conformance/index.js';
import { type MongoFilter, mongodbAdapter, UnsupportedPlanError } from '../../packages/adapters/mongodb/index.js';
import type { Filter } from '../../runtime/residual/filters.js';
import { Random } from '../support/oracle/random.js';
import { composed, compositionsOf, holds } from './compositions.js';
import { randomTypedAttributes } from './random-conditions.js';
import { randomPlans } from './random-plans.js';

/*
 * Filters as Mongoose casts them by a schema; mingo then evaluates them, in the place of a server.
 */

const FIELDS = {
  owner: String,
  status: String,
  amount: Number,
  price: Number,
  shared: Boolean,
  tags: [String],
  home: { city: String, size: Number },
  shares: [{ _id: false, user: String, role: String }],
};
type Field = keyof typeof FIELDS;
const NAMES = Object.keys(FIELDS) as Field[];

const allowed = mongodbAdapter<{ readonly [field in Field | '_id']: unknown }>('notes', {
  id: '_id',
  attributes: Object.fromEntries(NAMES.map((name) => [name, name])),
});

/** Models whose schema has some of the fields. */
const MODELS = [NAMES, ['status', 'price', 'shares'], []].map((names, index) =>
  mongoose.model(
    `Note${index}`,
    new mongoose.Schema({ _id: String, ...Object.fromEntries(names.map((name) => [name, FIELDS[name as Field]])) }),
  ),
);

/** What a query of a model selects; undefined if Mongoose refuses it. */
function selected(
  model: (typeof MODELS)[number],
  filter: MongoFilter,
  strictQuery: boolean | 'throw',
  documents: readonly { readonly _id: string }[],
): ReadonlySet<string> | undefined {
  let cast: MongoFilter;
  try {
    cast = model
      .find(filter as object)
      .setOptions({ strictQuery })
      .cast(model) as MongoFilter;
  } catch (error) {
    if (error instanceof mongoose.Error.StrictModeError) return undefined;
    throw error;
  }
  const query = new Query(cast);
  return new Set(documents.filter((document) => query.test(document)).map(({ _id }) => _id));
}

function filterOf(filter: Filter): MongoFilter | undefined {
  try {
    return allowed({ filter });
  } catch (error) {
    if (error instanceof UnsupportedPlanError) return undefined;
    throw error;
  }
}

const test = suite('adapter for MongoDB with Mongoose');

test('a query selects what the filter selects, with a schema of the right types and without some fields', () => {
  const sample = ROWS.filter(({ isTyped }, index) => isTyped || index % 7 === 0);
  const documents = sample.map(({ id, attr }) => ({ _id: id, ...attr }));
  const counts = { queries: 0, refused: 0, selected: 0 };
  for (const { condition, place, filter } of conformanceCases()) {
    const plain = filterOf(filter);
    if (plain === undefined) continue;
    const query = new Query(plain as object);
    const expected = new Set(documents.filter((document) => query.test(document)).map(({ _id }) => _id));
    for (const [index, model] of MODELS.entries())
      for (const strictQuery of index === 0 ? ([false, true] as const) : ([true, 'throw'] as const)) {
        const found = selected(model, allowed({ filter }), strictQuery, documents);
        counts.queries += 1;
        if (found === undefined) {
          assert.is.not(strictQuery, false);
          counts.refused += 1;
          continue;
        }
        counts.selected += found.size;
        const message = `${place} ${condition}: ${model.modelName}, strictQuery ${strictQuery}`;
        for (const { id, isTyped } of sample) {
          // Mongoose casts a constant of another type, so that documents with values of that type are not selected.
          if (isTyped || found.has(id)) assert.is(found.has(id), expected.has(id), `${id}: ${message}`);
        }
      }
  }
  console.log(`  ${JSON.stringify(counts)}`);
  assert.ok(counts.refused < counts.queries / 3 && counts.selected > counts.queries * 5);
});

test('plans keep their meaning where applications combine them', async () => {
  const { rows, plans } = await randomPlans(randomTypedAttributes);
  const documents = rows.map(({ id, attr }) => ({ _id: id, ...attr }));
  const constant = (kind: 'KIND_ALWAYS_ALLOWED' | 'KIND_ALWAYS_DENIED') => ({
    filter: { kind } as Filter,
    allowed: rows.map(() => kind === 'KIND_ALWAYS_ALLOWED'),
  });
  const combined = [
    constant('KIND_ALWAYS_ALLOWED'),
    constant('KIND_ALWAYS_DENIED'),
    ...plans.flatMap(({ filter }) => {
      const plain = filterOf(filter);
      if (plain === undefined) return [];
      const query = new Query(plain as object);
      return [{ filter, allowed: documents.map((document) => query.test(document)) }];
    }),
  ];
  const random = new Random(1);
  const own = [0, 1].map(() => rows.map(({ id }) => id).filter(() => random.chance(0.5)));
  const [model] = MODELS as [(typeof MODELS)[number]];
  const planFilter = (plan: number): MongoFilter => allowed({ filter: combined[plan]?.filter as Filter });
  for (const composition of compositionsOf({ plans: combined.length, own: own.length }, random, 20)) {
    const filter = composed<MongoFilter>(composition, {
      plan: planFilter,
      own: (index) => ({ _id: { $in: own[index] } }),
      all: ($and) => ({ $and }),
      any: ($or) => ({ $or }),
      not: (part) => ({ $nor: [part] }),
    });
    const expected = rows.filter((row, position) =>
      holds(
        composition,
        (plan) => combined[plan]?.allowed[position] === true,
        (index) => own[index]?.includes(row.id) === true,
      ),
    );
    const found = selected(model, filter, true, documents);
    assert.equal(found, new Set(expected.map(({ id }) => id)), JSON.stringify(composition));
  }
  // Fields that an application writes beside a filter, or that replace one of its fields.
  for (const [plan, { allowed: isAllowed, filter }] of combined.entries())
    for (const beside of [{ _id: { $in: own[0] } }, { owner: { $in: ['a', 'anna', 'b', 'ab', ''] } }])
      for (const both of [
        { ...planFilter(plan), ...beside },
        { ...beside, ...planFilter(plan) },
      ])
        for (const id of selected(model, both, true, documents) ?? [])
          assert.ok(isAllowed[rows.findIndex((row) => row.id === id)], `${id}: ${JSON.stringify({ filter, both })}`);
});

test.run();
