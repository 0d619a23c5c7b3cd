import type { RowDataPacket } from 'mysql2/promise';
import { suite } from 'uvu';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { compareScalars } from './scalar-comparison.js';
import { compareHazards, compareTyped, type TypedDatabase } from './typed-comparison.js';
import { type Cell, COLUMNS, createTable } from '../support/sql/typed-table.js';
import { SEED, rounds } from '../support/effort.js';

const test = suite('SQL filters in MariaDB');

test('MariaDB selects exactly the rows that check allows, over typed columns', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') {
    skip(import.meta.url, server);
    return;
  }
  const { connection } = server;
  try {
    // Invalid dates are stored unchanged.
    await connection.query("SET sql_mode = 'ALLOW_INVALID_DATES'");
    await connection.query(createTable('mysql'));
    const typed: TypedDatabase = {
      dialect: 'mysql',
      async fill(rows) {
        await connection.query('TRUNCATE things');
        const places = rows.map(() => `(?, ?${', ?'.repeat(COLUMNS.length)})`);
        await connection.execute(
          `INSERT INTO things VALUES ${places.join(', ')}`,
          rows.flatMap(({ id, cells }, position) => [position, id, ...cells.map(written)]),
        );
      },
      async select({ text, parameters }) {
        const [rows] = await connection.execute<RowDataPacket[]>(`SELECT position FROM things WHERE ${text}`, [
          ...parameters,
        ]);
        return new Set(rows.map(({ position }) => position as number));
      },
    };
    await compareHazards(typed, 200);
    await compareScalars({
      dialect: 'mysql',
      run: (statement) => connection.query(statement),
      async select({ text, parameters }) {
        const query = `SELECT position FROM scalars WHERE ${text}`;
        const [rows] = await connection.execute<RowDataPacket[]>(query, [...parameters]);
        return new Set(rows.map(({ position }) => position as number));
      },
    });
    await compareTyped(typed, {
      seed: SEED,
      stores: rounds(12),
      kinds: 6,
      requests: 2,
      rows: 64,
    });
  } finally {
    await server.stop();
  }
});

test.run();

/** 64-bit integers as strings, which hold all of their digits. */
function written(cell: Cell): string | number | boolean | null {
  return typeof cell === 'bigint' ? String(cell) : cell;
}
