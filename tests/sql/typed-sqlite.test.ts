import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import { compareScalars } from './scalar-comparison.js';
import { compareHazards, compareTyped, type TypedDatabase } from './typed-comparison.js';
import { COLUMNS, createTable } from '../support/sql/typed-table.js';
import { SEED, rounds } from '../support/effort.js';

type Condition = Parameters<TypedDatabase['select']>[0];

const test = suite('SQL filters in SQLite');

test('SQLite selects exactly the rows that check allows, over typed columns', async () => {
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run(createTable('sqlite'));
  const typed: TypedDatabase = {
    dialect: 'sqlite',
    async fill(rows) {
      database.run('BEGIN; DELETE FROM things');
      // As strings, so that 64 bits arrive; the columns' affinity turns them into integers.
      const insert = database.prepare(`INSERT INTO things VALUES (?, ?${', ?'.repeat(COLUMNS.length)})`);
      for (const [position, { id, cells }] of rows.entries())
        insert.run([
          position,
          id,
          ...cells.map((cell) =>
            typeof cell === 'bigint' ? String(cell) : typeof cell === 'boolean' ? Number(cell) : cell,
          ),
        ]);
      insert.free();
      database.run('COMMIT');
    },
    select: (condition) => select('things', condition),
  };
  const select: (table: string, condition: Condition) => Promise<ReadonlySet<number>> = async (
    table,
    { text, parameters },
  ) => {
    const statement = database.prepare(`SELECT position FROM ${table} WHERE ${text}`);
    try {
      statement.bind(parameters.map((parameter) => (typeof parameter === 'boolean' ? Number(parameter) : parameter)));
      const positions = new Set<number>();
      while (statement.step()) positions.add(statement.get()[0] as number);
      return positions;
    } finally {
      statement.free();
    }
  };
  await compareHazards(typed, rounds(200, 20));
  const scalars: Parameters<typeof compareScalars>[0] = {
    dialect: 'sqlite',
    run: async (statement) => database.run(statement),
    select: (condition) => select('scalars', condition),
  };
  await compareScalars(scalars, rounds(60, 20));
  await compareTyped(typed, {
    seed: SEED,
    stores: rounds(12),
    kinds: 6,
    requests: 2,
    rows: 64,
  });
  database.close();
});

test.run();
