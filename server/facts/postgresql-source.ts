import type { FactsOf } from '../../packages/adapters/facts.js';
import { sqlFacts } from '../../packages/adapters/facts.js';
import type { FactSource } from '../../runtime/facts/index.js';
import type { SqlTable } from '../../runtime/residual/sql/index.js';

/** Facts in a table of PostgreSQL. */
export interface PostgresqlSourceOptions {
  /** A connection string; TLS is one of its parameters (`sslmode`, `sslrootcert`). */
  readonly url: string;
  readonly maxConnections: number;
  /** How long a connection, and a query, may take, in milliseconds. */
  readonly deadline: number;
  readonly table: SqlTable;
  readonly of: FactsOf & { readonly of: string };
  /** Told of connections that are lost while they are idle. */
  readonly onProblem: (error: Error) => void;
}

/** The part of the driver that is used; it has no types of its own. */
interface Driver {
  readonly Pool: new (options: { readonly [name: string]: unknown }) => Pool;
}

interface Pool {
  on(event: 'error', listener: (error: Error) => void): void;
  connect(): Promise<Client>;
  end(): Promise<void>;
}

interface Client {
  query(query: string | { readonly [name: string]: unknown }): Promise<{ readonly rows: readonly object[] }>;
  release(error?: unknown): void;
}

/** Facts from a table. The driver is an optional package: it is loaded here, and only here. */
export async function postgresqlSource(options: PostgresqlSourceOptions): Promise<{
  readonly source: FactSource;
  readonly close: () => Promise<void>;
}> {
  const { default: pg } = (await import('pg')) as unknown as { readonly default: Driver };
  const { url, maxConnections, deadline, table, of, onProblem } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: deadline,
    // The connection of a database that does not answer is not used again.
    query_timeout: deadline,
    idleTimeoutMillis: 60_000,
    application_name: 'authz',
  });
  // Without a listener, a lost connection would end the process.
  pool.on('error', onProblem);
  const run = (text: string, values: readonly unknown[]): Promise<readonly object[]> =>
    readOnly(pool, deadline, async (client) => (await client.query({ text, values })).rows);
  return {
    source: sqlFacts(run, { ...table, dialect: 'postgresql' }, of),
    close: () => pool.end(),
  };
}

/** Runs a query in a transaction that cannot write, and that the database ends at the deadline. */
async function readOnly<Result>(
  pool: Pool,
  deadline: number,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failure: unknown;
  try {
    await client.query(`BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${Math.ceil(deadline)}`);
    const result = await work(client);
    await client.query('COMMIT');
    return result;
  } catch (error) {
    failure = error;
    throw error;
  } finally {
    // A connection that failed may be in a transaction, or answer late.
    client.release(failure);
  }
}
