import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { selects } from '../../runtime/residual/index.js';
import { renderSql, type SqlTable } from '../../runtime/residual/sql/index.js';
import { planConditions } from '../support/plan/condition-engine.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { QUERY_BUILDERS } from './query-builders.js';

const CONTACTS: SqlTable = {
  name: 'contacts',
  id: { column: 'id', type: 'text' },
  columns: {
    owner: { column: 'owner?', type: 'text' },
    amount: { column: 'amount', type: 'integer' },
    price: { column: 'price', type: 'number' },
    shared: { column: 'shared', type: 'boolean' },
    created: { column: 'created', type: 'timestamp' },
    tags: { column: 'tags', type: 'list' },
    meta: { column: 'meta:a', type: 'json' },
  },
};

const CREATED = '2020-01-01T00:00:00.000Z';
const ROWS: readonly { readonly id: string; readonly attr: { readonly [name: string]: unknown } }[] = [
  {
    id: 'a',
    attr: { owner: 'anna', amount: 1, price: 0.5, shared: true, created: CREATED, tags: ['x'], meta: { 'a b': 'v' } },
  },
  {
    id: 'b',
    attr: {
      owner: 'a?b:c$1',
      amount: 5,
      price: 2.5,
      shared: false,
      created: '2024-01-01T00:00:00.000Z',
      tags: [],
      meta: { n: 3 },
    },
  },
  { id: 'c', attr: { owner: '', amount: 9, price: 7, shared: true, created: CREATED, tags: ['x', 'y?'], meta: {} } },
];

/** One condition for every type of parameter, several of one, none at all, and strings that a library could misread. */
const CONDITIONS = [
  'R.attr.owner == P.id',
  'R.attr.owner == "a?b:c$1"',
  'R.attr.owner in ["anna", "", ":authz0"]',
  'R.attr.amount > 1 && R.attr.amount < 9',
  'R.attr.price * 1.2 < 3.1',
  'R.attr.shared',
  '!R.attr.shared || R.attr.owner == P.id',
  'timestamp(R.attr.created) > timestamp("2021-01-01T00:00:00Z")',
  '"y?" in R.attr.tags',
  'hasIntersection(R.attr.tags, ["x", "z"])',
  'R.attr.meta["a b"] == "v"',
  'R.attr.meta.n == 3',
  'R.attr.owner.startsWith("a?")',
  'R.attr.tags.exists(t, t.startsWith("y"))',
  'R.id in ["a", "b"] && R.attr.shared == false',
  'has(R.attr.owner)',
];

const test = suite('conditions in query builders');

test('a condition has one more part than parameters, and its text has placeholders', async () => {
  for (const [expr, condition] of await rendered()) {
    assert.is(condition.parts.length, condition.parameters.length + 1, expr);
    assert.is(
      condition.parts.reduce((before, part, index) => `${before}$${index}${part}`),
      condition.text,
      expr,
    );
    assert.equal(condition.parts.raw, [...condition.parts]);
    assert.is(JSON.stringify(condition.parts), JSON.stringify([...condition.parts]));
  }
});

test('every library selects the rows that check allows', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') {
    skip(import.meta.url, cluster);
    return;
  }
  const { client, connection } = cluster;
  try {
    await client.query(
      'CREATE TABLE contacts (id text PRIMARY KEY, "owner?" text, amount bigint, price double precision, shared boolean, created timestamptz, tags jsonb, "meta:a" jsonb)',
    );
    for (const { id, attr } of ROWS) {
      const { owner, amount, price, shared, created, tags, meta } = attr;
      await client.query('INSERT INTO contacts VALUES ($1, $2, $3, $4, $5, $6, $7, $8)', [
        id,
        owner,
        amount,
        price,
        shared,
        created,
        JSON.stringify(tags),
        JSON.stringify(meta),
      ]);
    }
    const conditions = await rendered();
    for (const [name, open] of Object.entries(QUERY_BUILDERS)) {
      const builder = await open(connection, client);
      for (const [expr, condition, expected] of conditions)
        assert.equal(await builder.select(condition), expected, `${name}: ${expr}: ${condition.text}`);
      await builder.end();
    }
    console.log(`  ${conditions.length} conditions in ${Object.keys(QUERY_BUILDERS).join(', ')}`);
  } finally {
    await cluster.stop();
  }
});

test.run();

/** Each condition as SQL, with the ids of the rows for which it is true: at least one and never all. */
async function rendered(): Promise<
  readonly (readonly [
    expr: string,
    condition: Parameters<Awaited<ReturnType<(typeof QUERY_BUILDERS)[string]>>['select']>[0],
    ids: readonly string[],
  ])[]
> {
  const principal = { id: 'anna', roles: ['user'] };
  return (await planConditions('contact', CONDITIONS, principal)).map((filter, index) => {
    const expr = CONDITIONS[index] as string;
    const condition = renderSql(filter, CONTACTS, { dialect: 'postgresql' });
    if (condition.kind === 'refused')
      throw new Error(`${expr}: ${condition.problems.map(({ reason }) => reason).join('; ')}`);
    const ids = ROWS.filter((row) => selects(filter, row as Parameters<typeof selects>[1])).map(({ id }) => id);
    assert.ok(ids.length > 0, expr);
    return [expr, condition, ids] as const;
  });
}
