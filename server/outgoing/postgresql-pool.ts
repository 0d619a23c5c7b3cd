/** The part of the driver that is used; it has no types of its own. */
interface Driver {
  readonly Pool: new (options: {
    readonly [name: string]: unknown;
  }) => Pool & {
    on(event: 'error', listener: (error: Error) => void): void;
  };
}

/** A query, or its text. */
type Query = string | { readonly [name: string]: unknown };

/** Connections that are opened when they are needed. */
export interface Pool {
  query(query: Query): Promise<Answer>;
  connect(): Promise<Client>;
  end(): Promise<void>;
}

/** A connection, until it is released; with an error, it is not used again. */
export interface Client {
  query(query: Query): Promise<Answer>;
  release(error?: unknown): void;
}

interface Answer {
  readonly rows: readonly object[];
}

/** Connections to PostgreSQL. */
export interface PoolOptions {
  /** A connection string; TLS is one of its parameters (`sslmode`, `sslrootcert`). */
  readonly url: string;
  readonly maxConnections: number;
  /** How long a connection, and a query, may take, in milliseconds. */
  readonly timeout: number;
  /** Told of connections that are lost while they are idle. */
  readonly onProblem: (error: Error) => void;
}

/**
 * Opens connections to PostgreSQL. The driver is an optional package: it is loaded here, and only here.
 *
 * @param more further options of the driver.
 */
export async function openPool(
  { url, maxConnections, timeout, onProblem }: PoolOptions,
  more: { readonly [name: string]: unknown } = {},
): Promise<Pool> {
  const { default: pg } = (await import('pg')) as unknown as { readonly default: Driver };
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: timeout,
    // The connection of a database that does not answer is not used again.
    query_timeout: timeout,
    idleTimeoutMillis: 60_000,
    application_name: 'authz',
    ...more,
  });
  // Without a listener, a lost connection would end the process.
  pool.on('error', onProblem);
  return pool;
}
