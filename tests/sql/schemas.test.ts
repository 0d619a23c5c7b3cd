import initSqlJs from 'sql.js';
import { suite } from 'uvu';
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

test.run();
