import { maskText, maskUrl } from '../../../server/config/mask.js';
import type { CommandContext } from '../context.js';
import { EXIT, printError } from '../exit.js';
import { reportInputError } from '../report.js';

/** A connection to PostgreSQL. node-postgres and PGlite have this method. */
export interface Connection {
  query(text: string, parameters?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** A connection that has to be closed. */
export interface OpenConnection extends Connection {
  close(): Promise<void>;
}

/** The part of node-postgres that the command uses. */
interface Driver {
  readonly types: { getTypeParser(type: number, format?: string): (text: string) => unknown };
  readonly Client: new (options: {
    readonly connectionString?: string;
    readonly connectionTimeoutMillis: number;
    readonly application_name: string;
    readonly types: { getTypeParser(type: number, format?: string): (text: string) => unknown };
  }) => Connection & {
    connect(): Promise<void>;
    end(): Promise<void>;
    on(event: 'error', listener: () => void): void;
  };
}

/** The database cannot be reached, or refuses to answer. */
export class DatabaseError extends Error {}

/** The code of PostgreSQL for a statement that a role may not run. */
export const INSUFFICIENT_PRIVILEGE = '42501';

/** Prints a DatabaseError or an InputError to standard error and returns the exit code. Rethrows any other error. */
export function reportDatabaseError(error: unknown, context: CommandContext): number {
  if (!(error instanceof DatabaseError)) return reportInputError(error, context);
  printError(error, context);
  return EXIT.usage;
}

/**
 * Connects with node-postgres, an optional package that is loaded here, and only here.
 *
 * @param url where the database is; without one, the `PG…` variables of the environment say so, as for psql.
 * @param shown the name of the program, how a message names the database, and whether rows have times as text: the driver
 * would read them in the zone of the process, and without microseconds.
 * @throws DatabaseError with a message that does not contain the password.
 */
export async function connectDatabase(
  url: string | undefined,
  shown: { readonly application?: string; readonly where?: string; readonly timesAsText?: boolean } = {},
): Promise<OpenConnection> {
  const { default: pg } = await loadDriver();
  const where = shown.where ?? (url === undefined ? 'the database of the `PG…` variables' : maskUrl(url));
  try {
    const client = new pg.Client({
      ...(url !== undefined && { connectionString: url }),
      connectionTimeoutMillis: 10_000,
      application_name: shown.application ?? 'authzc rls verify',
      types: {
        getTypeParser: (type, format) =>
          shown.timesAsText === true && TIMES.has(type) ? (text: string) => text : pg.types.getTypeParser(type, format),
      },
    });
    // Without a listener, a connection that is lost between two queries would end the process.
    client.on('error', () => undefined);
    await client.connect();
    return { query: (text, parameters) => client.query(text, parameters), close: () => client.end() };
  } catch (error) {
    throw new DatabaseError(`cannot connect to ${where}: ${formatReason(error)}`);
  }
}

/** `timestamp` and `timestamptz`. */
const TIMES: ReadonlySet<number> = new Set([1114, 1184]);

async function loadDriver(): Promise<{ readonly default: Driver }> {
  try {
    return (await import('pg')) as unknown as { readonly default: Driver };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new DatabaseError('pg is not installed, and reading a database needs it: npm install --save-dev pg');
  }
}

/** The first line of a failure. A refused connection to several addresses has no message, only a code. */
function formatReason(error: unknown): string {
  const { message = '', code = '' } = error as { readonly message?: string; readonly code?: string };
  return maskText(message === '' ? code : message).split('\n')[0] ?? code;
}

/**
 * The rows of a query as objects of JSON, whatever a driver makes of the types of PostgreSQL.
 *
 * @param parameter replaces `$1`, which must be `$1::jsonb`.
 */
export async function selectJson<Row>(connection: Connection, query: string, parameter?: unknown): Promise<Row[]> {
  const text = `SELECT coalesce(jsonb_agg(to_jsonb(found)), '[]')::text AS found FROM (${query}) AS found`;
  const { rows } = await connection.query(text, parameter === undefined ? [] : [JSON.stringify(parameter)]);
  return JSON.parse((rows[0] as { readonly found: string }).found) as Row[];
}

/** Runs a transaction whose changes are never kept. */
export async function rolledBack<T>(connection: Connection, begin: string, run: () => Promise<T>): Promise<T> {
  await connection.query(begin);
  try {
    return await run();
  } finally {
    await connection.query('ROLLBACK');
  }
}
