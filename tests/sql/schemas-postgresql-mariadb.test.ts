import type { RowDataPacket } from 'mysql2/promise';
import { suite } from 'uvu';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { compareSchemas, EXTENT } from './schema-comparison.js';
import { createTable } from '../support/sql/schema-table.js';

/** SCHEMAS=3000 ROWS=128 is the full run: more than 100,000 rows in each database. */
const test = suite('filters of random schemas as SQL');

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
      // It renders the fewest of the filters.
      { ...EXTENT, schemas: 3 * EXTENT.schemas },
    );
  } finally {
    await server.stop();
  }
});

test.run();
