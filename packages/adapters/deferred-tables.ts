/**
 * Names that a library writes with the query: of related tables, as the query says in which schema they are, and of columns, as it
 * says which alias their table has.
 */
import type { SqlDialect } from '../../runtime/residual/sql/index.js';

/** A related table, in the text of a condition. */
export interface DeferredTable {
  readonly table: string;
}

/** A piece of the text between two parameters. */
export type DeferredPiece = string | DeferredTable;

const STAND_IN = 'related table ';

/** The name that stands for a table while a condition is rendered. It has no dot, which would separate a schema. */
export function standInFor(table: string): string {
  return STAND_IN + encodeURIComponent(table).replaceAll('.', '%2E');
}

/** The text of a condition between its parameters, with the tables that stand-ins stand for. */
export function splitDeferred(parts: readonly string[], dialect: SqlDialect): readonly (readonly DeferredPiece[])[] {
  const quote = dialect === 'mysql' ? '`' : '"';
  const standIn = new RegExp(`${quote}${STAND_IN}([^${quote}]+)${quote}`);
  return parts.map((part) =>
    part.split(standIn).map((piece, index) => (index % 2 === 0 ? piece : { table: decodeURIComponent(piece) })),
  );
}

/** A column of the table of the query, in the text of a condition. */
export interface DeferredColumn {
  /** Its place among the columns of the table. */
  readonly column: number;
}

/** The alias that stands for that of the query. */
export const OWN_ALIAS = 'own table';

/** The name that stands for a column while a condition is rendered. */
export function columnStandIn(place: number): string {
  return `column ${place}`;
}

/** The text of a condition between its parameters, with the columns that stand-ins stand for. */
export function splitColumns(
  parts: readonly string[],
  dialect: SqlDialect,
): readonly (readonly (string | DeferredColumn)[])[] {
  const quote = dialect === 'mysql' ? '`' : '"';
  const standIn = new RegExp(`${quote}${OWN_ALIAS}${quote}[.]${quote}column (\\d+)${quote}`);
  return parts.map((part) =>
    part.split(standIn).map((piece, index) => (index % 2 === 0 ? piece : { column: Number(piece) })),
  );
}
