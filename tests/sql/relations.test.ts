import type { RowDataPacket } from 'mysql2/promise';
import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { compareRelated } from './related-comparison.js';
import { type Cell, createTable, type StoredTable } from './related-tables.js';
import { SEED, rounds } from '../support/effort.js';

const test = suite('SQL filters over related tables, and timestamps in documents');

const EXTENT = {
  seed: SEED,
  stores: rounds(1),
  size: 32,
  conditions: rounds(40),
};

test('SQLite selects the rows that check allows', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  await compareRelated(
    {
      dialect: 'sqlite',
      async fill(tables) {
        for (const table of tables) {
          database.run(`DROP TABLE IF EXISTS ${table.name}`);
          database.run(createTable(table, 'sqlite'));
          const insert = database.prepare(`INSERT INTO ${table.name} VALUES (${placeholders(table)})`);
          for (const row of table.rows) insert.run(row.map(withoutBoolean));
          insert.free();
        }
      },
      async select({ text, parameters }) {
        const select = database.prepare(`SELECT position FROM documents WHERE ${text}`);
        try {
          select.bind(parameters.map(withoutBoolean));
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

test('PostgreSQL selects the rows that check allows', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') {
    skip(import.meta.url, cluster);
    return;
  }
  const { client } = cluster;
  try {
    await client.query("SET TimeZone = 'Asia/Kolkata'");
    await compareRelated(
      {
        dialect: 'postgresql',
        async fill(tables) {
          for (const table of tables) {
            await client.query(`DROP TABLE IF EXISTS ${table.name}`);
            await client.query(createTable(table, 'postgresql'));
            const places = table.columns.map((_, index) => `$${index + 1}`).join(', ');
            for (const row of table.rows) await client.query(`INSERT INTO ${table.name} VALUES (${places})`, [...row]);
          }
        },
        async select({ text, parameters }) {
          const { rows } = await client.query(`SELECT position FROM documents WHERE ${text}`, parameters);
          return new Set(rows.map(({ position }) => Number(position)));
        },
      },
      EXTENT,
    );
  } finally {
    await cluster.stop();
  }
});

test('MariaDB selects the rows that check allows', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') {
    skip(import.meta.url, server);
    return;
  }
  const { connection } = server;
  try {
    await compareRelated(
      {
        dialect: 'mysql',
        async fill(tables) {
          for (const table of tables) {
            await connection.query(`DROP TABLE IF EXISTS ${table.name}`);
            await connection.query(createTable(table, 'mysql'));
            for (const row of table.rows)
              await connection.execute(
                `INSERT INTO ${table.name} VALUES (${placeholders(table)})`,
                row.map((cell, index) =>
                  table.columns[index]?.[1] === 'time' && typeof cell === 'string'
                    ? cell.replace('T', ' ').replace('Z', '')
                    : cell,
                ),
              );
          }
        },
        async select({ text, parameters }) {
          const [rows] = await connection.execute<RowDataPacket[]>(`SELECT position FROM documents WHERE ${text}`, [
            ...parameters,
          ]);
          return new Set(rows.map(({ position }) => Number(position)));
        },
      },
      EXTENT,
    );
  } finally {
    await server.stop();
  }
});

test.run();

function withoutBoolean(cell: Cell): string | number | null {
  return typeof cell === 'boolean' ? Number(cell) : cell;
}

function placeholders({ columns }: StoredTable): string {
  return columns.map(() => '?').join(', ');
}
