import type { RowDataPacket } from 'mysql2/promise';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderSql, type SqlDialect } from '../../runtime/residual/sql/index.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { names, rendered } from './names.js';

const test = suite('names in SQL conditions');

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

function wordCondition(dialect: SqlDialect, column: string): string {
  const filter = {
    kind: 'KIND_CONDITIONAL',
    condition: { expression: { operator: 'eq', operands: [{ variable: 'request.resource.attr.x' }, { value: 'x' }] } },
  } as const;
  const condition = renderSql(filter, { name: 'words', columns: { x: { column, type: 'text' } } }, { dialect });
  return condition.kind === 'sql' ? condition.text : '';
}
