import type { SqlDialect } from '../../../runtime/residual/sql/index.js';
import { maskText } from '../../../server/config/mask.js';
import type { CommandContext } from '../context.js';
import { UsageError } from '../exit.js';
import { connectDatabase, DatabaseError } from '../rls/database.js';
import { type MysqlConnection, readMysqlTables } from './mysql.js';
import { readPostgresqlTables } from './postgresql.js';
import { openSqliteTables } from './sqlite.js';
import type { TablesOfDatabase } from './stored-table.js';

/** The dialect of a database, by its URL. An SQLite database is a file. */
export function detectDialect(url: string): SqlDialect {
  const scheme = /^(\w{2,}):/.exec(url)?.[1] ?? 'sqlite';
  const dialect = DIALECTS.get(scheme);
  if (dialect === undefined)
    throw new UsageError(
      `the URL of a database begins with one of ${[...DIALECTS.keys()].map((each) => `\`${each}:\``).join(', ')}, or is the path of an SQLite file`,
    );
  return dialect;
}

const DIALECTS: ReadonlyMap<string, SqlDialect> = new Map([
  ['postgres', 'postgresql'],
  ['postgresql', 'postgresql'],
  ['mysql', 'mysql'],
  ['mariadb', 'mysql'],
  ['sqlite', 'sqlite'],
  ['file', 'sqlite'],
]);

/** The URL that `--database` names, or that of the environment without a value. Throws a UsageError if there is none. */
export function requireUrl(database: string | true | undefined, { env }: Pick<CommandContext, 'env'>): string {
  const url = database === true ? env['DATABASE_URL'] : database;
  if (url === undefined || url === '')
    throw new UsageError('no database: set DATABASE_URL and write `--database`, or name one: `--database <url>`');
  return url;
}

/**
 * Connects to a database to read its tables. Queries that it refuses are DatabaseErrors, too.
 * @throws DatabaseError with a message without the URL.
 */
export async function openTables(url: string): Promise<TablesOfDatabase> {
  const tables = await connectTables(url);
  return {
    ...tables,
    select: async (text, parameters) => {
      try {
        return await tables.select(text, parameters);
      } catch (error) {
        throw new DatabaseError(`the database does not answer a query: ${(error as Error).message}`);
      }
    },
  };
}

/** Connects to a database while its tables are read. */
export async function withTables<Result>(
  url: string,
  work: (tables: TablesOfDatabase, dialect: SqlDialect) => Promise<Result>,
): Promise<Result> {
  const dialect = detectDialect(url);
  const tables = await openTables(url);
  try {
    return await work(tables, dialect);
  } finally {
    await tables.close();
  }
}

async function connectTables(url: string): Promise<TablesOfDatabase> {
  switch (detectDialect(url)) {
    case 'postgresql': {
      const connection = await connectDatabase(url, {
        application: 'authzc plan',
        where: 'the database',
        timesAsText: true,
      });
      return {
        read: (names) => readPostgresqlTables(connection, names),
        select: async (text, parameters) => (await connection.query(text, [...parameters])).rows as Row[],
        close: () => connection.close(),
      };
    }
    case 'mysql': {
      const connection = await connectMysql(url.replace(/^mariadb:/, 'mysql:'));
      return {
        read: (names) => readMysqlTables(connection, names),
        select: async (text, parameters) => (await connection.execute(text, parameters))[0] as Row[],
        close: () => connection.end(),
      };
    }
    case 'sqlite':
      return openSqliteTables(url.replace(/^(?:sqlite|file):(?:\/\/(?=\/|\w:))?/, ''));
  }
}

type Row = { readonly [column: string]: unknown };

/** Connects with mysql2, an optional package that is loaded here, and only here. */
async function connectMysql(url: string): Promise<MysqlConnection> {
  const { createConnection } = await loadMysql();
  try {
    // Otherwise the driver rounds integers that are no exact doubles, such as ids, and reads times without a zone in that
    // of the process.
    return await createConnection({ uri: url, supportBigNumbers: true, dateStrings: true });
  } catch (error) {
    const { message = '', code = '' } = error as { readonly message?: string; readonly code?: string };
    throw new DatabaseError(`cannot connect to the database: ${maskText(message === '' ? code : message)}`);
  }
}

interface MysqlDriver {
  createConnection(options: {
    readonly uri: string;
    readonly supportBigNumbers: boolean;
    readonly dateStrings: boolean;
  }): Promise<MysqlConnection>;
}

async function loadMysql(): Promise<MysqlDriver> {
  try {
    return (await import('mysql2/promise')) as unknown as MysqlDriver;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new DatabaseError(
      'mysql2 is not installed, and reading a database of MySQL or MariaDB needs it: npm install --save-dev mysql2',
    );
  }
}
