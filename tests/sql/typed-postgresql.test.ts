import { suite } from 'uvu';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { compareScalars } from './scalar-comparison.js';
import { compareHazards, compareTyped, type TypedDatabase } from './typed-comparison.js';
import { type Cell, COLUMNS, createTable } from '../support/sql/typed-table.js';
import { skip } from '../support/skip.js';
import { SEED, rounds } from '../support/effort.js';

const test = suite('SQL filters in PostgreSQL');

test('PostgreSQL selects exactly the rows that check allows, over typed columns', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') {
    skip(import.meta.url, cluster);
    return;
  }
  const { client } = cluster;
  try {
    // A string order that is not byte order, as in most databases.
    await client.query("CREATE COLLATION words (provider = icu, locale = 'en')");
    // And a collation in which different strings are equal.
    await client.query("CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
    await client.query('CREATE EXTENSION citext');
    await client.query("SET TimeZone = 'Asia/Kolkata'");
    await client.query(createTable('postgresql'));
    const typed: TypedDatabase = {
      dialect: 'postgresql',
      async fill(rows) {
        await client.query('TRUNCATE things');
        const width = COLUMNS.length + 2;
        const places = rows.map(
          (_, row) => `(${Array.from({ length: width }, (__, index) => `$${row * width + index + 1}`).join(', ')})`,
        );
        await client.query(
          `INSERT INTO things VALUES ${places.join(', ')}`,
          rows.flatMap(({ id, cells }, position) => [position, id, ...cells.map(written)]),
        );
      },
      async select({ text, parameters }) {
        const { rows } = await client.query(`SELECT position FROM things WHERE ${text}`, parameters);
        return new Set(rows.map(({ position }) => position as number));
      },
    };
    await compareHazards(typed, 200);
    await compareScalars({
      dialect: 'postgresql',
      run: (statement) => client.query(statement),
      async select({ text, parameters }) {
        const { rows } = await client.query(`SELECT position FROM scalars WHERE ${text}`, parameters);
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
    await cluster.stop();
  }
});

test.run();

/** As strings, which hold 64 bits and the sign of zero. */
function written(cell: Cell): string | boolean | null {
  if (Object.is(cell, -0)) return '-0';
  return typeof cell === 'number' || typeof cell === 'bigint' ? String(cell) : cell;
}
