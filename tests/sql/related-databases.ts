import type { Connection, RowDataPacket } from 'mysql2/promise';
import type { Client } from 'pg';
import type { Database } from 'sql.js';
import type { RelatedDatabase } from './related-comparison.js';
import { type Cell, createTable, type StoredTable } from './related-tables.js';

/** Stores in SQLite. */
export function inSqlite(database: Database): RelatedDatabase {
  return {
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
  };
}

/** Stores in PostgreSQL. */
export function inPostgresql(client: Client): RelatedDatabase {
  return {
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
      const { rows } = await client.query(`SELECT position FROM documents WHERE ${text}`, [...parameters]);
      return new Set(rows.map(({ position }) => Number(position)));
    },
  };
}

/** Stores in MariaDB. */
export function inMariadb(connection: Connection): RelatedDatabase {
  return {
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
  };
}

function withoutBoolean(cell: Cell): string | number | null {
  return typeof cell === 'boolean' ? Number(cell) : cell;
}

function placeholders({ columns }: StoredTable): string {
  return columns.map(() => '?').join(', ');
}
