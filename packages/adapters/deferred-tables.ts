/** Related tables whose names a library writes with the query, as the query says in which schema they are. */
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
