import type { RowDataPacket } from 'mysql2/promise';
import initSqlJs, { type Database, type SqlScalar } from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngine } from '../../runtime/engine/index.js';
import { renderSql, type SqlDialect, type SqlTable } from '../../runtime/residual/sql/index.js';
import { compileTexts, loaded } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';

/** Table names that a subquery, or a function or column in it, could capture, and SQL keywords. */
const TABLES = [
  'authz_1',
  'AUTHZ_1',
  'authz__1',
  'e1',
  'value',
  'place',
  'key',
  'type',
  'json_each',
  'parts',
  'rest',
  'jsonb_each',
  'order',
  'a"b',
  'a`b',
  'ß',
];
const COLUMNS = [
  'authz_1',
  'authz_2',
  'value',
  'place',
  'key',
  'type',
  'e1',
  'json',
  'rest',
  'counted',
  'select',
  'offset',
  'rownum',
  'a"b',
];

/** Subqueries that read the table. Each is true of the first row only. */
const CONDITIONS = [
  'R.attr.list.exists(t, t.startsWith(R.attr.text))',
  'R.attr.list.exists(t, R.attr.list.exists(u, u.endsWith("y") && u.startsWith(R.attr.text)))',
  'R.attr.text + "y" in R.attr.list',
  'R.attr.map.exists(k, v, v == R.attr.text)',
  'size(R.attr.map) == 1 && R.attr.list.exists_one(t, t == R.attr.text)',
  'R.attr.list.exists(t, size(t) == 2 && R.attr.text == "x")',
];

const test = suite('names in SQL conditions');

test('SQLite: a subquery captures no name of a table or a column', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  for (const { table, text, list, map } of names()) {
    if (table === 'json_each') continue;
    const [t, a, b, c] = [table, text, list, map].map((name) => `"${name.replaceAll('"', '""')}"`);
    database.run(`CREATE TABLE ${t} (id TEXT, ${a} TEXT, ${b} TEXT, ${c} TEXT)`);
    database.run(
      `INSERT INTO ${t} VALUES ('1', 'x', '["x", "xy"]', '{"k":"x"}'), ('2', 'z', '["x", "xy"]', '{"k":"x","l":1}')`,
    );
    for (const { text: condition, parameters } of await rendered('sqlite', { table, text, list, map })) {
      assert.equal(
        idsOf(database, `SELECT id FROM ${t} WHERE ${condition}`, parameters),
        ['1'],
        `${table}: ${condition}`,
      );
    }
    database.run(`DROP TABLE ${t}`);
  }
  database.close();
});

test('SQLite: a table that hides the function json_each is rejected where its query would call it', async () => {
  const columns: SqlTable['columns'] = {
    text: { column: 'text', type: 'text' },
    list: { column: 'list', type: 'list' },
    map: { column: 'map', type: 'json' },
  };
  for (const name of ['json_each', 'main.JSON_EACH']) {
    for (const filter of await filters([
      ...CONDITIONS,
      'R.attr.text in R.attr.map',
      'size(R.attr.map) == 1',
      'hasIntersection(R.attr.list, ["x"])',
    ])) {
      const condition = renderSql(filter, { name, columns }, { dialect: 'sqlite' });
      assert.is(
        condition.kind === 'refused' ? condition.problems[0]?.reason : condition.text,
        'a table of this name hides the function that reads lists and maps',
        name,
      );
    }
  }
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run(
    `CREATE TABLE json_each (id TEXT, text TEXT, map TEXT); INSERT INTO json_each VALUES ('1', 'x', '{"k":"x"}'), ('2', 'z', '{"k":"y"}')`,
  );
  database.run(
    `CREATE TABLE things (id TEXT, text TEXT, list TEXT, map TEXT); INSERT INTO things VALUES ('1', 'x', '["x"]', '{}')`,
  );
  for (const filter of await filters([
    'R.attr.text == "x"',
    'R.attr.map.k == "x"',
    'size(R.attr.text + "é") == 2 && R.attr.text < "y"',
  ])) {
    const condition = renderSql(filter, { name: 'json_each', columns }, { dialect: 'sqlite' });
    assert.ok(condition.kind === 'sql');
    assert.equal(
      idsOf(database, `SELECT id FROM json_each WHERE ${condition.text}`, condition.parameters),
      ['1'],
      condition.text,
    );
  }
  database.run('DROP TABLE json_each');
  // An alias does not hide a function.
  for (const filter of await filters(['R.attr.list.exists(t, t.startsWith(R.attr.text))'])) {
    const condition = renderSql(filter, { name: 'things', alias: 'json_each', columns }, { dialect: 'sqlite' });
    assert.ok(condition.kind === 'sql');
    assert.equal(idsOf(database, `SELECT id FROM things AS json_each WHERE ${condition.text}`, condition.parameters), [
      '1',
    ]);
  }
  database.close();
});

test('PostgreSQL: a subquery captures no name of a table or a column, and every keyword can be a name', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    for (const { table, text, list, map } of names()) {
      const [t, a, b, c] = [table, text, list, map].map((name) => `"${name.replaceAll('"', '""')}"`);
      await client.query(`CREATE TABLE ${t} (id text, ${a} text, ${b} jsonb, ${c} jsonb)`);
      await client.query(
        `INSERT INTO ${t} VALUES ('1', 'x', '["x", "xy"]', '{"k":"x"}'), ('2', 'z', '["x", "xy"]', '{"k":"x","l":1}')`,
      );
      for (const { text: condition, parameters } of await rendered('postgresql', { table, text, list, map })) {
        const { rows } = await client.query(`SELECT id FROM ${t} WHERE ${condition}`, parameters);
        assert.equal(
          rows.map(({ id }) => id),
          ['1'],
          `${table}: ${condition}`,
        );
      }
      await client.query(`DROP TABLE ${t}`);
    }
    const { rows } = await client.query('SELECT word FROM pg_get_keywords()');
    for (const { word } of rows) {
      await client.query(`CREATE TABLE words ("${word}" text)`);
      await client.query(`SELECT FROM words WHERE ${wordCondition('postgresql', String(word))}`, ['x']);
      await client.query('DROP TABLE words');
    }
    assert.ok(rows.length > 400);
  } finally {
    await cluster.stop();
  }
});

test('MariaDB: every keyword can be a name, in all modes', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { connection } = server;
  try {
    const [rows] = await connection.query<RowDataPacket[]>(
      "SELECT WORD AS word FROM information_schema.KEYWORDS WHERE WORD RLIKE '^[A-Za-z_]+$'",
    );
    const words = rows.map(({ word }) => String(word).toLowerCase());
    assert.ok(words.length > 400);
    await connection.query(
      `CREATE TABLE words (${[...new Set(words)].map((word) => `\`${word}\` text`).join(', ')}) ENGINE=MyISAM`,
    );
    for (const mode of ['', 'ANSI_QUOTES,PIPES_AS_CONCAT,NO_BACKSLASH_ESCAPES,HIGH_NOT_PRECEDENCE', 'ORACLE']) {
      await connection.query(`SET sql_mode = '${mode}'`);
      for (const word of words)
        await connection.execute(`SELECT 1 FROM words WHERE ${wordCondition('mysql', word)}`, ['x', 'x']);
    }
  } finally {
    await server.stop();
  }
});

test.run();

interface Names {
  readonly table: string;
  readonly text: string;
  readonly list: string;
  readonly map: string;
}

/** Each table with columns of every name, three at a time. */
function names(): readonly Names[] {
  return TABLES.map((table, index) => {
    const [text, list, map] = [0, 1, 2].map((next) => COLUMNS[(index * 3 + next) % COLUMNS.length] as string) as [
      string,
      string,
      string,
    ];
    return { table, text, list, map };
  });
}

function idsOf(database: Database, statement: string, parameters: readonly unknown[]): readonly unknown[] {
  const select = database.prepare(statement);
  select.bind([...parameters] as SqlScalar[]);
  const ids: unknown[] = [];
  while (select.step()) ids.push(select.get()[0]);
  select.free();
  return ids;
}

async function rendered(
  dialect: SqlDialect,
  { table, text, list, map }: Names,
): Promise<readonly { readonly text: string; readonly parameters: readonly unknown[] }[]> {
  const sqlTable: SqlTable = {
    name: table,
    columns: {
      text: { column: text, type: 'text' },
      list: { column: list, type: 'list' },
      map: { column: map, type: 'json' },
    },
  };
  return (await filters(CONDITIONS)).map((filter) => {
    const condition = renderSql(filter, sqlTable, { dialect });
    if (condition.kind === 'refused') throw new Error(condition.problems.map(({ reason }) => reason).join('; '));
    return condition;
  });
}

async function filters(conditions: readonly string[]): Promise<readonly Parameters<typeof renderSql>[0][]> {
  const rules = conditions.map((expr, index) => ({
    actions: [`a${index}`],
    effect: 'EFFECT_ALLOW',
    roles: ['user'],
    condition: { match: { expr } },
  }));
  const policy = { apiVersion: 'api.authz.dev/v1', resourcePolicy: { resource: 'thing', version: 'default', rules } };
  const { policies } = await loaded(compileTexts({ 'p.yaml': JSON.stringify(policy) }));
  const engine = createEngine(policies);
  return conditions.map(
    (_, index) =>
      engine.plan({ principal: { id: 'u1', roles: ['user'] }, resource: { kind: 'thing' }, actions: [`a${index}`] })
        .filter,
  );
}

function wordCondition(dialect: SqlDialect, column: string): string {
  const filter = {
    kind: 'KIND_CONDITIONAL',
    condition: { expression: { operator: 'eq', operands: [{ variable: 'request.resource.attr.x' }, { value: 'x' }] } },
  } as const;
  const condition = renderSql(filter, { name: 'words', columns: { x: { column, type: 'text' } } }, { dialect });
  return condition.kind === 'sql' ? condition.text : '';
}
