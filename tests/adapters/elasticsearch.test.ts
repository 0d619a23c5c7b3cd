import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Combined, conformance, ROWS } from '../../packages/adapters/conformance/index.js';
import { elasticsearchAdapter, type SearchQuery, UnsupportedPlanError } from '../../packages/adapters/elasticsearch.js';
import type { Filter, Operand } from '../../runtime/residual/filters.js';
import { type IndexMapping, indexed, matches } from '../support/elasticsearch/evaluator.js';
import { Random } from '../support/oracle/random.js';
import { composed, compositionsOf, holds } from './compositions.js';
import { randomTypedAttributes } from './random-conditions.js';
import { compared, randomPlans } from './random-plans.js';

interface Note {
  readonly id: string;
  readonly owner?: string;
  readonly status?: string;
  readonly amount?: number;
  readonly price: number | null;
  readonly shared?: boolean;
  readonly tags: readonly string[];
  readonly home?: { readonly city?: string; readonly size?: number };
  readonly shares: readonly { readonly user: string; readonly role?: string }[];
}

const MAPPING: IndexMapping = {
  id: { type: 'keyword' },
  owner: { type: 'keyword' },
  status: { type: 'keyword' },
  amount: { type: 'long' },
  price: { type: 'double' },
  shared: { type: 'boolean' },
  tags: { type: 'keyword' },
  'home.city': { type: 'keyword' },
  'home.size': { type: 'long' },
  shares: { type: 'nested' },
  'shares.user': { type: 'keyword' },
  'shares.role': { type: 'keyword' },
};

const allowed = elasticsearchAdapter<Note>('notes', {
  id: 'id',
  attributes: {
    owner: { field: 'owner', type: 'keyword' },
    status: { field: 'status', type: 'keyword' },
    amount: { field: 'amount', type: 'long' },
    price: { field: 'price', type: 'double', null: 'null' },
    shared: { field: 'shared', type: 'boolean' },
    tags: { field: 'tags', type: 'keyword', many: true },
    'home.city': { field: 'home.city', type: 'keyword' },
    'home.size': { field: 'home.size', type: 'long' },
    shares: {
      nested: 'shares',
      attributes: {
        user: { field: 'shares.user', type: 'keyword', null: 'never' },
        role: { field: 'shares.role', type: 'keyword' },
      },
    },
  },
});

const test = suite('adapter for Elasticsearch');

test('a query selects exactly the documents that check allows', async () => {
  const rows = ROWS.filter(({ isTyped }) => isTyped);
  const documents = rows.map(({ id, attr }) => ({ id, index: indexed({ id, ...attr }, MAPPING) }));
  const idsOf = (query: SearchQuery): readonly string[] =>
    documents.filter(({ index }) => matches(query, index, MAPPING)).map(({ id }) => id);
  const report = await conformance({
    rows: 'typed',
    select: (plan) => {
      const query = allowed(plan, { rules: plan.rules });
      assert.equal(JSON.parse(JSON.stringify(query)), query);
      return idsOf(query);
    },
    ways: { count: (plan) => idsOf({ bool: { filter: [allowed(plan)] } }).length },
    combine: (combined) => idsOf(combinedQuery(combined)),
  });
  const { overGrants, underGrants, refusals, failures, ...counts } = report;
  console.log(`  ${JSON.stringify({ ...counts, refusals: refusals.length })}`);
  assert.equal([...overGrants, ...underGrants, ...failures], []);
  assert.ok(counts.exact > 320, 'the adapter refuses too much');
});

test('a query selects exactly the documents that check allows, for random conditions', async () => {
  const { rows, plans } = await randomPlans(randomTypedAttributes);
  const documents = rows.map(({ id, attr }) => ({ id, index: indexed({ id, ...attr }, MAPPING) }));
  const tally = compared(plans, rows, ({ filter }) => {
    const query = queryOf(filter);
    return query && new Set(documents.filter(({ index }) => matches(query, index, MAPPING)).map(({ id }) => id));
  });
  assert.equal([...tally.overGrants, ...tally.underGrants].slice(0, 5), []);
  assert.ok(tally.selected > tally.plans * 10, 'the adapter refuses too much');
});

test('plans keep their meaning where applications combine them', async () => {
  const { rows, plans } = await randomPlans(randomTypedAttributes);
  const documents = rows.map(({ id, attr }) => indexed({ id, ...attr }, MAPPING));
  const constant = (kind: 'KIND_ALWAYS_ALLOWED' | 'KIND_ALWAYS_DENIED') => ({
    query: allowed({ filter: { kind } }),
    isAllowed: () => kind === 'KIND_ALWAYS_ALLOWED',
  });
  const combined = [
    constant('KIND_ALWAYS_ALLOWED'),
    constant('KIND_ALWAYS_DENIED'),
    ...plans.flatMap(({ filter, isAllowed, isWhole }) => {
      const query = queryOf(filter);
      return query === undefined || !isWhole ? [] : [{ query, isAllowed }];
    }),
  ];
  const random = new Random(1);
  const own = [0, 1].map(() => rows.map(({ id }) => id).filter(() => random.chance(0.5)));
  for (const composition of compositionsOf({ plans: combined.length, own: own.length }, random, 40)) {
    const query = composed<SearchQuery>(composition, {
      plan: (plan) => combined[plan]?.query as SearchQuery,
      own: (index) => ({ terms: { id: own[index] } }),
      all: (filter) => ({ bool: { filter } }),
      any: (should) => ({ bool: { should, minimum_should_match: 1 } }),
      not: (part) => ({ bool: { must_not: [part] } }),
    });
    for (const [position, row] of rows.entries())
      assert.is(
        matches(query, documents[position] as (typeof documents)[number], MAPPING),
        holds(
          composition,
          (plan) => combined[plan]?.isAllowed(row) === true,
          (index) => own[index]?.includes(row.id) === true,
        ),
        `${row.id}: ${JSON.stringify(composition)}`,
      );
  }
});

test('a document with a value that the index ignores is not missing it', () => {
  const mapping: IndexMapping = { ...MAPPING, owner: { type: 'keyword', ignore_above: 10 } };
  const document = indexed({ id: 'n1', owner: 'a string of more than ten characters' }, mapping);
  const owner = { variable: 'request.resource.attr.owner' };
  const isAnna = { expression: { operator: 'eq', operands: [owner, { value: 'anna' }] } };
  for (const operator of ['not', 'unless']) {
    const condition = { expression: { operator, operands: [isAnna] } };
    assert.not.ok(matches(allowed({ filter: { kind: 'KIND_CONDITIONAL', condition } }), document, mapping));
  }
});

test('a long query is refused', () => {
  const variable = (name: string) => ({ variable: `request.resource.attr.${name}` });
  let condition: Operand = variable('shared');
  for (let depth = 0; depth < 12; depth += 1)
    condition = { expression: { operator: 'if', operands: [condition, variable('shared'), condition] } };
  assert.throws(
    () => allowed({ filter: { kind: 'KIND_CONDITIONAL', condition } }),
    /^the plan has no condition for the index `notes`: `filter`: the query would have more than 1000 parts/,
  );
});

test('a mapping names fields of the document', () => {
  // @ts-expect-error documents have no such field
  const renamed = elasticsearchAdapter<Note>('notes', { attributes: { owner: { field: 'renamed', type: 'keyword' } } });
  assert.equal(renamed({ filter: { kind: 'KIND_ALWAYS_ALLOWED' } }), { match_all: {} });
});

test.run();

function queryOf(filter: Filter): { readonly [name: string]: unknown } | undefined {
  try {
    return allowed({ filter });
  } catch (error) {
    if (error instanceof UnsupportedPlanError) return undefined;
    throw error;
  }
}

/** A combination of the kit as a query. */
function combinedQuery(combined: Combined): SearchQuery {
  if ('plan' in combined) return allowed(combined.plan);
  if ('ids' in combined) return { terms: { id: combined.ids } };
  if ('not' in combined) return { bool: { must_not: [combinedQuery(combined.not)] } };
  return 'and' in combined
    ? { bool: { filter: combined.and.map(combinedQuery) } }
    : { bool: { should: combined.or.map(combinedQuery), minimum_should_match: 1 } };
}
