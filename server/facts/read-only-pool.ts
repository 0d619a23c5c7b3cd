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

/** Connections to PostgreSQL. */
export interface ReadOnlyPoolOptions {
  /** A connection string; TLS is one of its parameters (`sslmode`, `sslrootcert`). */
  readonly url: string;
  readonly maxConnections: number;
  /** How long a connection, and a query, may take, in milliseconds. */
  readonly timeout: number;
  /** Told of connections that are lost while they are idle. */
  readonly onProblem: (error: Error) => void;
}

/** Runs queries that cannot write. */
export interface ReadOnlyPool {
  readonly run: (text: string, values: readonly unknown[]) => Promise<readonly object[]>;
  readonly close: () => Promise<void>;
}

/** Opens connections when they are needed. The driver is an optional package: it is loaded here, and only here. */
export async function openReadOnlyPool(options: ReadOnlyPoolOptions): Promise<ReadOnlyPool> {
  const { default: pg } = (await import('pg')) as unknown as { readonly default: Driver };
  const { url, maxConnections, timeout, onProblem } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: timeout,
    // The connection of a database that does not answer is not used again.
    query_timeout: timeout,
    idleTimeoutMillis: 60_000,
    application_name: 'authz',
  });
  // Without a listener, a lost connection would end the process.
  pool.on('error', onProblem);
  return {
    run: (text, values) => readOnly(pool, timeout, async (client) => (await client.query({ text, values })).rows),
    close: () => pool.end(),
  };
}

/** Runs a query in a transaction that cannot write, and that the database ends at the deadline. */
async function readOnly<Result>(
  pool: Pool,
  timeout: number,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failure: unknown;
  try {
    await client.query(`BEGIN TRANSACTION READ ONLY; SET LOCAL statement_timeout = ${Math.ceil(timeout)}`);
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
