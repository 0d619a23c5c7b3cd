import initSqlJs from 'sql.js';
import { type Cell, COLUMNS, createTable } from '../support/sql/typed-table.js';
import type { QueriedDatabase } from './decide-by-id.js';

/** A database in memory with the typed table, which is filled again for each store. */
export async function openCapableSqlite(): Promise<{ readonly database: QueriedDatabase; readonly close: () => void }> {
  const { Database } = await initSqlJs();
  const database = new Database();
  database.run(createTable('sqlite'));
  const run = (
    text: string,
    parameters: readonly unknown[],
  ): { names: readonly string[]; rows: readonly (readonly unknown[])[] } => {
    const statement = database.prepare(text);
    try {
      statement.bind(parameters.map((value) => plain(value as Cell)) as never);
      const rows: (readonly unknown[])[] = [];
      while (statement.step()) rows.push(statement.get());
      return { names: statement.getColumnNames(), rows };
    } finally {
      statement.free();
    }
  };
  return {
    close: () => database.close(),
    database: {
      dialect: 'sqlite',
      async fill(rows) {
        database.run('BEGIN; DELETE FROM things');
        const insert = database.prepare(`INSERT INTO things VALUES (?, ?${', ?'.repeat(COLUMNS.length)})`);
        for (const [position, { id, cells }] of rows.entries()) insert.run([position, id, ...cells.map(plain)]);
        insert.free();
        database.run('COMMIT');
      },
      async query(text, parameters) {
        const { names, rows } = run(text, parameters);
        return rows.map((row) => Object.fromEntries(row.map((value, index) => [names[index], value])));
      },
      async columns(text, parameters) {
        const { rows } = run(`SELECT position AS place, ${text} FROM things`, parameters);
        return new Map(rows.map(([place, ...cells]) => [place as number, cells]));
      },
    },
  };
}

/** 64-bit integers as strings, which hold all of their digits; SQLite has no booleans. */
function plain(cell: Cell): string | number | null {
  if (typeof cell === 'bigint') return String(cell);
  return typeof cell === 'boolean' ? Number(cell) : cell;
}
