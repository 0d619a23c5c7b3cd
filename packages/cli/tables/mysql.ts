import type { StoredColumn, StoredTable } from './stored-table.js';

/** The part of a connection of mysql2 that is used. */
export interface MysqlConnection {
  query(text: string, values?: readonly unknown[]): Promise<[unknown, unknown]>;
  /** Runs a prepared statement: the server binds its parameters, whatever its SQL mode. */
  execute(text: string, values?: readonly unknown[]): Promise<[unknown, unknown]>;
  end(): Promise<void>;
}

/** Reads tables of MySQL and MariaDB. Names without a schema are in the database of the connection. */
export async function readMysqlTables(
  connection: MysqlConnection,
  names: readonly string[],
): Promise<ReadonlyMap<string, StoredTable>> {
  const found = new Map<string, StoredTable>();
  for (const name of names) {
    const [table, schema = null] = name.split('.').reverse();
    const select = async <Row>(query: string): Promise<readonly Row[]> =>
      (await connection.query(query, [schema, table]))[0] as readonly Row[];
    const columns = await select<ColumnRow>(COLUMNS);
    if (columns.length === 0) continue;
    const documents = new Set((await select<{ readonly name: string }>(DOCUMENTS)).map((row) => row.name));
    const indexed = await select<IndexRow>(UNIQUES);
    const indexes = new Set(indexed.map((row) => row.index));
    // An index of a prefix or of an expression tells nothing of the column.
    for (const row of indexed) if (row.column === null || row.prefix !== null) indexes.delete(row.index);
    found.set(name, {
      columns: new Map(columns.map((row) => [row.name, storedColumn(row, documents.has(row.name))])),
      uniques: [...indexes].map((index) =>
        indexed.filter((row) => row.index === index).map((row) => row.column as string),
      ),
    });
  }
  return found;
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly nullable: 'YES' | 'NO';
  readonly collation: string | null;
}

interface IndexRow {
  readonly index: string;
  readonly column: string | null;
  readonly prefix: number | null;
}

const OF_TABLE = 'TABLE_SCHEMA = COALESCE(?, DATABASE()) AND TABLE_NAME = ?';

const COLUMNS = `
SELECT COLUMN_NAME AS name, COLUMN_TYPE AS type, IS_NULLABLE AS nullable, COLLATION_NAME AS collation
FROM information_schema.COLUMNS WHERE ${OF_TABLE}`;

/** A column of JSON in MariaDB is text with a constraint of its name. */
const DOCUMENTS = `
SELECT k.CONSTRAINT_NAME AS name FROM information_schema.CHECK_CONSTRAINTS AS k
JOIN information_schema.TABLE_CONSTRAINTS AS t USING (CONSTRAINT_SCHEMA, CONSTRAINT_NAME)
WHERE t.TABLE_SCHEMA = COALESCE(?, DATABASE()) AND t.TABLE_NAME = ? AND k.CHECK_CLAUSE LIKE 'json_valid(%'`;

const UNIQUES = `
SELECT INDEX_NAME AS \`index\`, COLUMN_NAME AS \`column\`, SUB_PART AS prefix FROM information_schema.STATISTICS
WHERE ${OF_TABLE} AND NON_UNIQUE = 0`;

function storedColumn({ type, nullable, collation }: ColumnRow, isDocument: boolean): StoredColumn {
  return {
    type: isDocument && type === 'longtext' ? 'json' : type,
    isNullable: nullable === 'YES',
    // Other collations pad, or take strings that differ for equal.
    ...(collation !== null && {
      collation: { name: collation, kind: /_0900_bin$|_nopad_bin$/.test(collation) ? 'binary' : 'other' },
    }),
  };
}
