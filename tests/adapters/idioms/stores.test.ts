import { Query } from 'mingo';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Filter } from '../../../runtime/residual/filters.js';
import { type IndexMapping, indexed, matches } from '../../support/elasticsearch/evaluator.js';
import { Random } from '../../support/oracle/random.js';
import { SEED, rounds } from '../../support/effort.js';
import { hostileRows, idiomPlans, type Row, typedRows } from './rows.js';
import { TRANSLATIONS } from './translations.js';

const random = new Random(SEED);
const typed = typedRows(random, rounds(300, 30));
const hostile = hostileRows(random, rounds(300, 30));
const plans = await idiomPlans('composed');

const test = suite('idioms in MongoDB and Elasticsearch');

test('a filter of MongoDB selects the documents that check allows', () => {
  const found = compare(typed, 'MongoDB', (query) => {
    const filter = new Query(query);
    return typed.filter((row) => filter.test(documentOf(row)));
  });
  assert.equal([...found.over, ...found.under].slice(0, 3), []);
});

test('a filter of MongoDB selects no document that check denies, whatever values it has', () => {
  const found = compare(hostile, 'MongoDB', (query) => {
    const filter = new Query(query);
    return hostile.filter((row) => filter.test(documentOf(row)));
  });
  assert.equal(found.over.slice(0, 3), []);
});

test('a query of Elasticsearch selects the documents that check allows', () => {
  const documents = typed.map(({ id, attr }) => indexed({ id, ...attr }, INDEX));
  const found = compare(typed, 'Elasticsearch', (query) =>
    typed.filter((_, index) => matches(query as never, documents[index] as (typeof documents)[number], INDEX)),
  );
  assert.equal([...found.over, ...found.under].slice(0, 3), []);
});

test.run();

function compare(
  rows: readonly Row[],
  database: string,
  select: (query: object) => readonly Row[],
): { readonly over: readonly string[]; readonly under: readonly string[] } {
  const translate = TRANSLATIONS[database] as (filter: Filter) => object;
  const [over, under]: [string[], string[]] = [[], []];
  let count = 0;
  for (const plan of plans) {
    const translation = translate(plan.filter) as { readonly query?: object };
    if (translation.query === undefined) continue;
    count += 1;
    const selected = new Set(select(translation.query));
    for (const row of rows) {
      const isAllowed = plan.isAllowed(row);
      if (selected.has(row) === isAllowed) continue;
      (isAllowed ? under : over).push(
        `${plan.name}: ${JSON.stringify(row)} ${JSON.stringify(translation.query)}`.slice(0, 3000),
      );
    }
  }
  console.log(`  ${database}: ${count} of ${plans.length} plans; ${over.length} over, ${under.length} under`);
  return { over, under };
}

/** The document of a row: times are dates. */
function documentOf({ id, attr }: Row): { readonly [name: string]: unknown } {
  const { createdAt, expiresAt, shares, ...others } = attr;
  return {
    _id: id,
    ...others,
    ...(createdAt !== undefined && { createdAt: dateOf(createdAt) }),
    ...(expiresAt !== undefined && { expiresAt: dateOf(expiresAt) }),
    ...(shares !== undefined && { shares: Array.isArray(shares) ? shares.map(shareOf) : shares }),
  };
}

function shareOf(share: unknown): unknown {
  if (typeof share !== 'object' || share === null || !('until' in share)) return share;
  return { ...share, until: dateOf(share.until) };
}

function dateOf(value: unknown): unknown {
  const at = typeof value === 'string' ? new Date(value) : undefined;
  return at !== undefined && !Number.isNaN(at.getTime()) && at.toISOString() === value ? at : value;
}

const INDEX: IndexMapping = {
  ...Object.fromEntries(
    ['id', 'owner', 'assignee', 'status', 'title', 'email', 'path', 'ip', 'tags', 'home.city'].map((field) => [
      field,
      { type: 'keyword' as const },
    ]),
  ),
  amount: { type: 'long' },
  price: { type: 'double' },
  shared: { type: 'boolean' },
  createdAt: { type: 'date' },
  expiresAt: { type: 'date' },
  shares: { type: 'nested' },
  'shares.user': { type: 'keyword' },
  'shares.team': { type: 'keyword' },
  'shares.role': { type: 'keyword' },
  'shares.until': { type: 'date' },
  'project.lead': { type: 'keyword' },
  'project.org': { type: 'keyword' },
  'project.public': { type: 'boolean' },
};
