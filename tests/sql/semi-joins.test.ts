import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderSql, type SqlDialect, type SqlTable } from '../../runtime/residual/sql/index.js';
import { rounds } from '../support/effort.js';
import { planConditions } from '../support/plan/condition-engine.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

/** A million rows in a campaign. */
const ROWS = rounds(50_000, 20_000);

const TABLE: SqlTable = {
  name: 'documents',
  columns: {
    owner: { column: 'owner', type: 'text' },
    title: { column: 'title', type: 'text' },
    shares: {
      relation: 'many',
      table: 'shares',
      on: { document_id: 'id' },
      columns: { user: { column: 'user_id', type: 'text', null: 'never' }, role: { column: 'role', type: 'text' } },
    },
    tags: {
      relation: 'many',
      table: 'tags',
      on: { document_id: 'id' },
      value: { column: 'tag', type: 'text', null: 'never' },
    },
  },
};

const SHARED = "SELECT document_id FROM shares WHERE user_id = 'u7'";

/** Conditions over related rows, and what a person would write for PostgreSQL. */
const CONDITIONS: readonly { readonly expr: string; readonly byHand: string }[] = [
  { expr: 'R.attr.shares.exists(s, s.user == P.id)', byHand: `id IN (${SHARED})` },
  { expr: 'P.id in R.attr.shares.map(s, s.user)', byHand: `id IN (${SHARED})` },
  {
    expr: 'R.attr.owner == P.id || R.attr.shares.exists(s, s.user == P.id)',
    byHand: `owner = 'u7' OR id = ANY (ARRAY(${SHARED}))`,
  },
  {
    expr: 'R.attr.owner == P.id || R.attr.shares.exists(s, s.user == P.id && s.role == "editor")',
    byHand: `owner = 'u7' OR id = ANY (ARRAY(${SHARED} AND role = 'editor'))`,
  },
  {
    expr: 'R.attr.owner == P.id || R.attr.shares.exists(s, s.user in P.attr.users)',
    byHand: "owner = 'u7' OR id = ANY (ARRAY(SELECT document_id FROM shares WHERE user_id IN ('u8', 'u9')))",
  },
  {
    expr: 'R.attr.owner == P.id || "t7" in R.attr.tags',
    byHand: "owner = 'u7' OR id = ANY (ARRAY(SELECT document_id FROM tags WHERE tag = 't7'))",
  },
  {
    expr: 'R.attr.owner == P.id || hasIntersection(R.attr.tags, ["t7", "t8"])',
    byHand: "owner = 'u7' OR id = ANY (ARRAY(SELECT document_id FROM tags WHERE tag IN ('t7', 't8')))",
  },
  {
    expr: 'R.attr.owner == P.id || R.attr.shares.filter(s, s.user == P.id).size() > 0',
    byHand: `owner = 'u7' OR id = ANY (ARRAY(${SHARED}))`,
  },
];

/** Conditions that keep a subquery for each row: they read it, are negated, or hold for many related rows. */
const PER_ROW: readonly string[] = [
  '!R.attr.shares.exists(s, s.user == P.id)',
  'R.attr.owner == P.id || R.attr.shares.all(s, s.user == P.id)',
  'R.attr.owner == P.id || R.attr.shares.exists(s, s.user == R.attr.title)',
  'R.attr.owner == P.id || R.attr.shares.exists(s, s.role != "editor")',
  'R.attr.owner == P.id || R.attr.title in R.attr.tags',
];

const test = suite('related rows by their keys');

test('SQLite searches the rows of the keys', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  for (const statement of [
    'CREATE TABLE documents (id TEXT PRIMARY KEY, owner TEXT, title TEXT)',
    'CREATE TABLE shares (document_id TEXT, user_id TEXT, role TEXT)',
    'CREATE TABLE tags (document_id TEXT, tag TEXT)',
    `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${ROWS}) INSERT INTO documents SELECT 'd' || i, 'u' || (i % 5000), 't' || i FROM n`,
    "INSERT INTO shares SELECT id, 'u' || (rowid % 5003), CASE rowid % 2 WHEN 0 THEN 'editor' ELSE 'viewer' END FROM documents",
    "INSERT INTO tags SELECT id, 't' || (rowid % 5009) FROM documents",
    ...INDEXES,
    'ANALYZE',
  ])
    database.run(statement);
  for (const { expr, text, parameters } of await conditionsIn(
    'sqlite',
    CONDITIONS.map((one) => one.expr),
  )) {
    const explain = database.prepare(`EXPLAIN QUERY PLAN SELECT id FROM documents WHERE ${text}`);
    explain.bind([...parameters] as string[]);
    const lines: string[] = [];
    while (explain.step()) lines.push(String(explain.get()[3]));
    explain.free();
    assert.not.ok(
      lines.some((line) => /^SCAN/.test(line)),
      `${expr}: ${text}\n${lines.join('\n')}`,
    );
  }
  for (const { text } of await conditionsIn('sqlite', PER_ROW)) assert.not.match(text, / IN \(SELECT /);
  database.close();
});

test('PostgreSQL finds the rows of the keys as a statement by hand does', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    for (const statement of [
      'CREATE TABLE documents (id text PRIMARY KEY, owner text, title text)',
      'CREATE TABLE shares (document_id text, user_id text, role text)',
      'CREATE TABLE tags (document_id text, tag text)',
      `INSERT INTO documents SELECT 'd' || i, 'u' || (i % 5000), 't' || i FROM generate_series(1, ${ROWS}) AS n(i)`,
      `INSERT INTO shares SELECT 'd' || i, 'u' || (i % 5003), CASE i % 2 WHEN 0 THEN 'editor' ELSE 'viewer' END FROM generate_series(1, ${ROWS}) AS n(i)`,
      `INSERT INTO tags SELECT 'd' || i, 't' || (i % 5009) FROM generate_series(1, ${ROWS}) AS n(i)`,
      ...INDEXES,
      'ANALYZE',
    ])
      await client.query(statement);
    const costOf = async (where: string, parameters: readonly unknown[] = []) => {
      const statement = `EXPLAIN (FORMAT JSON) SELECT id FROM documents WHERE ${where}`;
      const { rows } = await client.query(statement, parameters as never);
      const found = rows[0] as {
        readonly 'QUERY PLAN': readonly [{ readonly Plan: { readonly 'Total Cost': number } }];
      };
      const [{ Plan: plan }] = found['QUERY PLAN'];
      return { cost: plan['Total Cost'], text: JSON.stringify(plan) };
    };
    for (const [index, { expr, text, parameters }] of (
      await conditionsIn(
        'postgresql',
        CONDITIONS.map((one) => one.expr),
      )
    ).entries()) {
      const ours = await costOf(text, parameters);
      const theirs = await costOf((CONDITIONS[index] as (typeof CONDITIONS)[number]).byHand);
      assert.ok(ours.cost <= theirs.cost * 1.5, `${expr}: ${ours.cost} against ${theirs.cost}: ${text}\n${ours.text}`);
    }
    for (const { text } of await conditionsIn('postgresql', PER_ROW)) assert.not.match(text, /ARRAY\(SELECT/);
  } finally {
    await cluster.stop();
  }
});

test.run();

const INDEXES = [
  'CREATE INDEX by_owner ON documents (owner)',
  'CREATE INDEX by_user ON shares (user_id)',
  'CREATE INDEX by_document ON shares (document_id)',
  'CREATE INDEX by_tag ON tags (tag)',
];

interface Rendered {
  readonly expr: string;
  readonly text: string;
  readonly parameters: readonly (string | number | boolean | null)[];
}

async function conditionsIn(dialect: SqlDialect, exprs: readonly string[]): Promise<readonly Rendered[]> {
  const principal = { id: 'u7', roles: ['user'], attr: { users: ['u8', 'u9'] } };
  return (await planConditions('document', exprs, principal)).map((filter, index) => {
    const expr = exprs[index] as string;
    const condition = renderSql(filter, TABLE, { dialect });
    assert.ok(condition.kind === 'sql', expr);
    return { expr, text: condition.text, parameters: condition.parameters };
  });
}
