import type { RowDataPacket } from 'mysql2/promise';
import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { compareSchemas, EXTENT } from './schema-comparison.js';
import { createTable } from '../support/sql/schema-table.js';

/** SCHEMAS=3000 ROWS=128 is the full run: more than 100,000 rows in each database. */
const test = suite('filters of random schemas as SQL');

test('SQLite selects exactly the rows that check allows with reject', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run(createTable('sqlite'));
  await compareSchemas(
    {
      dialect: 'sqlite',
      async fill(columns, rows) {
        database.run('BEGIN; DELETE FROM stored_rows');
        const insert = database.prepare(
          `INSERT INTO stored_rows (position, ${columns.join(', ')}) VALUES (?${', ?'.repeat(columns.length)})`,
        );
        for (const [position, cells] of rows.entries())
          insert.run([position, ...(cells as (string | number | null)[])]);
        insert.free();
        database.run('COMMIT');
      },
      async select({ text, parameters }) {
        const select = database.prepare(`SELECT position FROM stored_rows WHERE ${text}`);
        try {
          select.bind(parameters.map((parameter) => (typeof parameter === 'boolean' ? Number(parameter) : parameter)));
          const positions = new Set<number>();
          while (select.step()) positions.add(select.get()[0] as number);
          return positions;
        } finally {
          select.free();
        }
      },
    },
    EXTENT,
  );
  database.close();
});

test('PostgreSQL selects exactly the rows that check allows with reject', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await client.query(createTable('postgresql'));
    await compareSchemas(
      {
        dialect: 'postgresql',
        async fill(columns, rows) {
          const width = columns.length + 1;
          const places = rows.map(
            (_, row) => `(${Array.from({ length: width }, (__, index) => `$${row * width + index + 1}`).join(', ')})`,
          );
          await client.query('DELETE FROM stored_rows');
          await client.query(
            `INSERT INTO stored_rows (position, ${columns.join(', ')}) VALUES ${places.join(', ')}`,
            rows.flatMap((cells, position) => [position, ...cells]),
          );
        },
        async select({ text, parameters }) {
          const { rows } = await client.query(`SELECT position FROM stored_rows WHERE ${text}`, parameters);
          return new Set(rows.map(({ position }) => position as number));
        },
      },
      EXTENT,
    );
  } finally {
    await cluster.stop();
  }
});

test('MariaDB selects exactly the rows that check allows with reject', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { connection } = server;
  try {
    await connection.query(createTable('mysql'));
    await compareSchemas(
      {
        dialect: 'mysql',
        async fill(columns, rows) {
          const places = rows.map(() => `(?${', ?'.repeat(columns.length)})`);
          await connection.query('DELETE FROM stored_rows');
          await connection.execute(
            `INSERT INTO stored_rows (position, ${columns.join(', ')}) VALUES ${places.join(', ')}`,
            rows.flatMap((cells, position) => [position, ...cells]),
          );
        },
        async select({ text, parameters }) {
          const [rows] = await connection.execute<RowDataPacket[]>(`SELECT position FROM stored_rows WHERE ${text}`, [
            ...parameters,
          ]);
          return new Set(rows.map(({ position }) => position as number));
        },
      },
      EXTENT,
    );
  } finally {
    await server.stop();
  }
});

test.run();
