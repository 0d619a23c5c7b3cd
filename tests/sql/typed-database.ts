import type { SqlConnection } from '../support/sql/pglite.js';
import { type Cell, COLUMNS, createTable, type TypedRow } from '../support/sql/typed-table.js';

/** Creates the typed table in a database of PostgreSQL, with the collations that its columns have. */
export async function createTypedTable(client: SqlConnection): Promise<void> {
  // A string order that is not byte order, as in most databases.
  await client.query("CREATE COLLATION words (provider = icu, locale = 'en')");
  // And a collation in which different strings are equal.
  await client.query("CREATE COLLATION nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false)");
  await client.query('CREATE EXTENSION citext');
  await client.query("SET TimeZone = 'Asia/Kolkata'");
  await client.query(createTable('postgresql'));
}

/** Replaces all rows of the typed table. */
export async function fillTypedTable(client: SqlConnection, rows: readonly TypedRow[]): Promise<void> {
  await client.query('TRUNCATE things');
  const width = COLUMNS.length + 2;
  const places = rows.map(
    (_, row) => `(${Array.from({ length: width }, (__, index) => `$${row * width + index + 1}`).join(', ')})`,
  );
  await client.query(
    `INSERT INTO things VALUES ${places.join(', ')}`,
    rows.flatMap(({ id, cells }, position) => [position, id, ...cells.map(written)]),
  );
}

/** As strings, which hold 64 bits and the sign of zero. */
function written(cell: Cell): string | boolean | null {
  if (Object.is(cell, -0)) return '-0';
  return typeof cell === 'number' || typeof cell === 'bigint' ? String(cell) : cell;
}
