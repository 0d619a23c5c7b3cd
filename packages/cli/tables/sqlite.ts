import { copyFileSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type sqlite from 'node-sqlite3-wasm';
import { DATABASE_TYPES, normalType } from '../../adapters/column-types.js';
import { DatabaseError } from '../rls/database.js';
import type { StoredColumn, StoredTable, TablesOfDatabase } from './stored-table.js';

type Driver = typeof sqlite;

/** Opens an SQLite file to read its tables. Nothing is written. */
export async function openSqliteTables(path: string): Promise<TablesOfDatabase> {
  if (!existsSync(path)) throw new DatabaseError('the database file does not exist');
  const { default: driver } = await import('node-sqlite3-wasm');
  try {
    const database = new driver.Database(path, { readOnly: true, fileMustExist: true });
    try {
      database.get('SELECT count(*) FROM sqlite_master');
      return {
        read: async (names) => readTables(driver, database, names),
        select: selectFrom(database),
        close: () => database.close(),
      };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch {
    return openCopy(driver, path);
  }
}

/** A database with a write-ahead log needs shared memory, which the driver has for a file of its own alone. */
function openCopy(driver: Driver, path: string): TablesOfDatabase {
  const folder = mkdtempSync(join(tmpdir(), 'authzc-'));
  const close = (): void => rmSync(folder, { recursive: true, force: true });
  try {
    const copy = join(folder, 'copy.db');
    copyFileSync(path, copy);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    const database = new driver.Database(copy);
    database.exec('PRAGMA locking_mode = EXCLUSIVE');
    database.get('SELECT count(*) FROM sqlite_master');
    return {
      read: async (names) => readTables(driver, database, names),
      select: selectFrom(database),
      close() {
        database.close();
        close();
      },
    };
  } catch (error) {
    close();
    throw new DatabaseError(`the database file cannot be read: ${(error as Error).message}`);
  }
}

function selectFrom(database: sqlite.Database): TablesOfDatabase['select'] {
  return async (text, parameters) =>
    database.all(text, parameters as (string | number | null)[]) as unknown as readonly {
      readonly [column: string]: unknown;
    }[];
}

function readTables(
  driver: Driver,
  database: sqlite.Database,
  names: readonly string[],
): ReadonlyMap<string, StoredTable> {
  return new Map(
    names.flatMap((name) => {
      const table = readTable(driver, database, name);
      return table === undefined ? [] : [[name, table] as const];
    }),
  );
}

function readTable(driver: Driver, database: sqlite.Database, name: string): StoredTable | undefined {
  const [table = '', schema = 'main'] = name.split('.').reverse();
  const select = <Row>(query: string, ...values: string[]): readonly Row[] =>
    database.all(query, values) as unknown as readonly Row[];
  const [made] = select<{ readonly sql: string; readonly type: string }>(
    "SELECT sql, type FROM sqlite_master WHERE type IN ('table', 'view') AND lower(name) = lower(?)",
    table,
  );
  if (made === undefined || schema !== 'main') return undefined;
  const [{ wr: isWithoutRowid } = { wr: 0 }] = select<{ readonly wr: number }>(
    "SELECT wr FROM pragma_table_list WHERE schema = 'main' AND lower(name) = lower(?)",
    table,
  );
  const rows = select<ColumnRow>('SELECT name, type, "notnull" AS isNotNull, pk FROM pragma_table_xinfo(?)', table);
  const key = rows.filter(({ pk }) => pk > 0).map((row) => row.name);
  const indexes = select<{ readonly name: string }>(
    'SELECT name FROM pragma_index_list(?) WHERE "unique" = 1 AND partial = 0',
    table,
  );
  const collations = made.type === 'table' ? readCollations(driver, made.sql, table, rows) : new Map<string, string>();
  return {
    columns: new Map(
      rows.map((row) => [
        row.name,
        storedColumn(row, collations.get(row.name), {
          isRowid: key.length === 1 && row.pk === 1 && row.type.toUpperCase() === 'INTEGER',
          isOfKey: isWithoutRowid === 1 && row.pk > 0,
        }),
      ]),
    ),
    uniques: [
      key,
      ...indexes.map((index) =>
        select<{ readonly name: string | null }>('SELECT name FROM pragma_index_info(?)', index.name).map(
          // An expression has no name.
          (column) => column.name ?? '',
        ),
      ),
    ].filter((columns) => columns.length > 0),
  };
}

interface ColumnRow {
  readonly name: string;
  readonly type: string;
  readonly isNotNull: number;
  readonly pk: number;
}

/** The collation of each column: that which an index has where the table is made anew; none of what cannot be made. */
function readCollations(
  driver: Driver,
  sql: string,
  table: string,
  rows: readonly ColumnRow[],
): ReadonlyMap<string, string> {
  const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
  const made = new driver.Database(':memory:');
  try {
    made.exec(sql);
    return new Map(
      rows.map(({ name }, index) => {
        made.exec(`CREATE INDEX authzc_${index} ON ${quoted(table)} (${quoted(name)})`);
        const found = made.get('SELECT coll FROM pragma_index_xinfo(?) WHERE key = 1', `authzc_${index}`);
        return [name, String(found?.['coll'])];
      }),
    );
  } catch {
    return new Map();
  } finally {
    made.close();
  }
}

function storedColumn(
  { type, isNotNull }: ColumnRow,
  collation: string | undefined,
  { isRowid, isOfKey }: { readonly isRowid: boolean; readonly isOfKey: boolean },
): StoredColumn {
  const declared = type.toLowerCase();
  const isKnown = DATABASE_TYPES.sqlite[normalType(declared, 'sqlite')] !== undefined;
  const [name, kind] =
    collation === undefined
      ? (['that is not known', 'other'] as const)
      : ([collation, collation.toUpperCase() === 'BINARY' ? 'binary' : 'other'] as const);
  return {
    type: isKnown ? declared : findAffinity(declared),
    isNullable: isNotNull === 0 && !isRowid && !isOfKey,
    collation: { name, kind },
  };
}

/** What SQLite makes of a name that is not a type of others. */
function findAffinity(type: string): string {
  if (type.includes('int')) return 'integer';
  if (/char|clob|text/.test(type)) return 'text';
  if (type.includes('blob') || type === '') return 'blob';
  return /real|floa|doub/.test(type) ? 'real' : 'numeric';
}
