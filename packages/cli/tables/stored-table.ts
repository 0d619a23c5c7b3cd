import type { SqlParameter } from '../../../runtime/residual/sql/index.js';

/** A table as a database has it. */
export interface StoredTable {
  readonly columns: ReadonlyMap<string, StoredColumn>;
  /** The columns of each index by which no two rows are equal. */
  readonly uniques: readonly (readonly string[])[];
}

/** A column as a database has it. */
export interface StoredColumn {
  /** `character varying`, or `enum`. */
  readonly type: string;
  readonly isNullable: boolean;
  /** How it compares strings; undefined for other types. */
  readonly collation?: StoredCollation;
}

export interface StoredCollation {
  readonly name: string;
  /** The collation as in a file of tables; `other` if strings that differ may be equal. */
  readonly kind: 'binary' | 'deterministic' | 'other';
}

/** Reads tables by their names, each with or without a schema. A table that does not exist is absent. */
export type ReadTables = (names: readonly string[]) => Promise<ReadonlyMap<string, StoredTable>>;

/** Runs a query. Values are what the driver makes of them. */
export type SelectRows = (
  text: string,
  parameters: readonly SqlParameter[],
) => Promise<readonly { readonly [column: string]: unknown }[]>;

/** A database whose tables are read. */
export interface TablesOfDatabase {
  readonly read: ReadTables;
  readonly select: SelectRows;
  close(): Promise<void> | void;
}
