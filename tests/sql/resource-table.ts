import initSqlJs, { type Database } from 'sql.js';
import type { Rendering } from './renderer.js';

/** A resource as a store has it. */
export interface StoredRow {
  /** Not unique: a store may contain duplicates. */
  readonly id: string;
  /** A JSON document. */
  readonly attr: string;
}

/** A table `resource` in an in-memory SQLite database. */
export class ResourceTable {
  private constructor(private readonly database: Database) {}

  static async open(): Promise<ResourceTable> {
    const { Database } = await initSqlJs();
    const database = new Database();
    database.run('CREATE TABLE resource (position INTEGER PRIMARY KEY, id TEXT, attr TEXT)');
    return new ResourceTable(database);
  }

  /** Replaces all rows. */
  fill(rows: readonly StoredRow[]): void {
    this.database.run('BEGIN; DELETE FROM resource');
    const insert = this.database.prepare('INSERT INTO resource VALUES (?, ?, ?)');
    for (const [position, { id, attr }] of rows.entries()) insert.run([position, id, attr]);
    insert.free();
    this.database.run('COMMIT');
  }

  /** The positions of the rows that a condition selects. */
  select({ sql, parameters }: Rendering & { readonly kind: 'sql' }): ReadonlySet<number> {
    const select = this.database.prepare(`SELECT position FROM resource WHERE ${sql}`);
    try {
      select.bind(parameters);
      const positions = new Set<number>();
      while (select.step()) positions.add(select.get()[0] as number);
      return positions;
    } finally {
      select.free();
    }
  }

  close(): void {
    this.database.close();
  }
}
