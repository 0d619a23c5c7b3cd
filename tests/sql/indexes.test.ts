import type { RowDataPacket } from 'mysql2/promise';
import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Filter } from '../../runtime/residual/index.js';
import { renderSql, type SqlDialect, type SqlTable } from '../../runtime/residual/sql/index.js';
import { planConditions } from '../support/plan/condition-engine.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

const TABLE: SqlTable = {
  name: 'things',
  id: { column: 'id', type: 'text' },
  columns: {
    owner: { column: 'owner', type: 'text' },
    nick: { column: 'nick', type: 'text', collation: 'other' },
    code: { column: 'code', type: 'text', collation: 'binary' },
    n: { column: 'n', type: 'integer' },
    m: { column: 'm', type: 'number' },
    at: { column: 'at', type: 'timestamp' },
    tags: { column: 'tags', type: 'list' },
    meta: { column: 'meta', type: 'json' },
  },
};

/** A typical condition, and the index that each dialect uses for it. */
const EXPECTED: readonly { readonly expr: string; readonly index: string; readonly dialects: readonly SqlDialect[] }[] =
  [
    ...['R.attr.owner == P.id', 'R.attr.owner in ["u1", "u2"]', 'R.attr.owner == P.id && R.attr.n > 3'].map((expr) => ({
      expr,
      index: 'by_owner',
      dialects: ['sqlite', 'postgresql', 'mysql'] as const,
    })),
    ...['R.attr.nick == "k1"', 'R.attr.nick in ["k1", "k2"]'].map((expr) => ({
      expr,
      index: 'by_nick',
      dialects: ['sqlite', 'postgresql', 'mysql'] as const,
    })),
    ...['R.attr.code == "c1"', 'R.attr.code < "c10"'].map((expr) => ({
      expr,
      index: 'by_code',
      dialects: ['sqlite', 'postgresql', 'mysql'] as const,
    })),
    { expr: 'R.attr.code.startsWith("c199")', index: 'by_code', dialects: ['sqlite', 'postgresql', 'mysql'] },
    { expr: 'R.attr.owner.startsWith("u199")', index: 'by_owner', dialects: ['sqlite', 'mysql'] },
    { expr: 'R.attr.nick.startsWith("k199")', index: 'by_nick', dialects: ['mysql'] },
    ...['R.attr.n == 7', 'R.attr.n < 2.5', 'R.attr.n > 4990 && R.attr.n < 4995'].map((expr) => ({
      expr,
      index: 'by_n',
      dialects: ['sqlite', 'postgresql', 'mysql'] as const,
    })),
    { expr: 'R.attr.m * 2.0 > 39990.0', index: 'by_m', dialects: ['sqlite', 'postgresql', 'mysql'] },
    {
      expr: 'timestamp(R.attr.at) < timestamp("2020-01-01T00:00:10Z")',
      index: 'by_at',
      dialects: ['sqlite', 'postgresql', 'mysql'],
    },
    {
      expr: 'timestamp(R.attr.at) > timestamp("2020-01-01T05:33:00Z")',
      index: 'by_at',
      dialects: ['sqlite', 'postgresql', 'mysql'],
    },
    ...[
      '"t1" in R.attr.tags',
      'R.attr.tags.exists(t, t == "t1")',
      'hasIntersection(R.attr.tags, ["t1", "t2"])',
      'R.attr.tags.exists(t, t in ["t1", "t2"])',
      '["t1"].isSubset(R.attr.tags)',
    ].map((expr) => ({
      expr,
      index: 'by_tags',
      dialects: ['postgresql'] as const,
    })),
    ...['R.attr.meta.kind == "d1"', 'R.attr.meta.kind in ["d1", "d2"]'].map((expr) => ({
      expr,
      index: 'by_kind',
      dialects: ['postgresql'] as const,
    })),
    ...['owner', 'nick', 'code', 'n'].map((column) => ({
      expr: `R.attr.${column} in P.attr.${column}s`,
      index: `by_${column}`,
      dialects: ['sqlite', 'postgresql', 'mysql'] as const,
    })),
    { expr: 'R.id == "i7"', index: 'by_id', dialects: ['sqlite', 'postgresql', 'mysql'] },
  ];

const INDEXES = ['owner', 'nick', 'code', 'n', 'm', 'at', 'id'].map(
  (column) => `CREATE INDEX by_${column} ON things (${column})`,
);
const ROWS = 20_000;

/** Lists that PostgreSQL gets as one parameter. */
const MANY = {
  owners: Array.from({ length: 150 }, (_, i) => `u${i}`),
  nicks: Array.from({ length: 150 }, (_, i) => `k${i}`),
  codes: Array.from({ length: 150 }, (_, i) => `c${i}`),
  ns: Array.from({ length: 150 }, (_, i) => i),
};

const test = suite('conditions use indexes');

test('SQLite', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run(
    'CREATE TABLE things (id TEXT, owner TEXT, nick TEXT COLLATE NOCASE, code TEXT, n INTEGER, m REAL, at TEXT, tags TEXT, meta TEXT)',
  );
  const value = `'i' || i, 'u' || i, 'k' || i, 'c' || i, i, i, strftime('%Y-%m-%dT%H:%M:%fZ', 1577836800 + i, 'unixepoch'), '["t' || i || '"]', '{"kind":"d' || i || '"}'`;
  database.run(
    `WITH RECURSIVE numbers(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM numbers WHERE i < ${ROWS}) INSERT INTO things SELECT ${value} FROM numbers`,
  );
  for (const index of INDEXES) database.run(index);
  database.run('ANALYZE');
  await explainAll('sqlite', async (text, parameters) => {
    const explain = database.prepare(`EXPLAIN QUERY PLAN SELECT id FROM things WHERE ${text}`);
    explain.bind([...parameters] as string[]);
    const lines: unknown[] = [];
    while (explain.step()) lines.push(...explain.get());
    explain.free();
    return lines.join('\n');
  });
  database.close();
});

test('PostgreSQL', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await client.query("CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
    await client.query(
      'CREATE TABLE things (id text, owner text, nick text COLLATE nocase, code text COLLATE "C", n bigint, m double precision, at timestamptz, tags jsonb, meta jsonb)',
    );
    const value = `'i' || i, 'u' || i, 'k' || i, 'c' || i, i, i, to_timestamp(1577836800 + i), jsonb_build_array('t' || i), jsonb_build_object('kind', 'd' || i)`;
    await client.query(`INSERT INTO things SELECT ${value} FROM generate_series(1, ${ROWS}) AS numbers(i)`);
    for (const index of [
      ...INDEXES,
      'CREATE INDEX by_tags ON things USING gin (tags)',
      "CREATE INDEX by_kind ON things ((meta -> 'kind'))",
    ])
      await client.query(index);
    await client.query('ANALYZE things');
    await explainAll('postgresql', async (text, parameters) => {
      const { rows } = await client.query(`EXPLAIN SELECT id FROM things WHERE ${text}`, parameters);
      return rows.map((row) => row['QUERY PLAN']).join('\n');
    });
  } finally {
    await cluster.stop();
  }
});

test('MariaDB', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { connection } = server;
  try {
    const text = 'varchar(50) COLLATE';
    await connection.query(
      `CREATE TABLE things (id varchar(50), owner varchar(50), nick ${text} utf8mb4_danish_ci, code ${text} utf8mb4_nopad_bin, n bigint, m double, at datetime(6))`,
    );
    const value = `concat('i', seq), concat('u', seq), concat('k', seq), concat('c', seq), seq, seq, '2020-01-01' + INTERVAL seq SECOND`;
    await connection.query(`INSERT INTO things SELECT ${value} FROM seq_1_to_${ROWS}`);
    for (const index of INDEXES) await connection.query(index);
    await connection.query('ANALYZE TABLE things');
    await explainAll('mysql', async (condition, parameters) => {
      const [rows] = await connection.execute<RowDataPacket[]>(`EXPLAIN SELECT * FROM things WHERE ${condition}`, [
        ...parameters,
      ]);
      return rows.map(({ key }) => String(key)).join('\n');
    });
  } finally {
    await server.stop();
  }
});

test.run();

/** Each condition for which a dialect has an index, and the query plan of its statement. */
async function explainAll(
  dialect: SqlDialect,
  explain: (text: string, parameters: readonly (string | number | boolean | null)[]) => Promise<string>,
): Promise<void> {
  const rows = EXPECTED.filter(({ dialects }) => dialects.includes(dialect));
  const exprs = rows.map(({ expr }) => expr);
  const filters = await planConditions('thing', exprs, { id: 'u1', roles: ['user'], attr: MANY });
  for (const [position, { expr, index }] of rows.entries()) {
    const condition = renderSql(filters[position] as Filter, TABLE, { dialect });
    assert.ok(condition.kind === 'sql', expr);
    const plan = await explain(condition.text, condition.parameters);
    assert.ok(plan.includes(index), `${dialect}: ${expr}: ${condition.text}: ${plan}`);
  }
}
