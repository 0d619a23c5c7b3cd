import { type Client, openPool, type Pool, type PoolOptions } from '../outgoing/postgresql-pool.js';

/** Runs a query and resolves with its rows. */
export type RunQuery = (text: string, values: readonly unknown[]) => Promise<readonly object[]>;

/** Runs queries that cannot write. */
export interface ReadOnlyPool {
  readonly run: RunQuery;
  /** Runs several queries on the same state of the database. */
  readonly atOnce: <Result>(work: (run: RunQuery) => Promise<Result>) => Promise<Result>;
  readonly close: () => Promise<void>;
}

/** Opens connections when they are needed. */
export async function openReadOnlyPool(options: PoolOptions): Promise<ReadOnlyPool> {
  const pool = await openPool(options);
  const { timeout } = options;
  return {
    run: (text, values) => readOnly(pool, timeout, '', (client) => queryRows(client, text, values)),
    atOnce: (work) =>
      readOnly(pool, timeout, ' ISOLATION LEVEL REPEATABLE READ', (client) =>
        work((text, values) => queryRows(client, text, values)),
      ),
    close: () => pool.end(),
  };
}

async function queryRows(client: Client, text: string, values: readonly unknown[]): Promise<readonly object[]> {
  return (await client.query({ text, values })).rows;
}

/** Runs queries in a transaction that cannot write, and that the database ends at the deadline. */
async function readOnly<Result>(
  pool: Pool,
  timeout: number,
  isolation: string,
  work: (client: Client) => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect();
  let failure: unknown;
  try {
    await client.query(`BEGIN TRANSACTION READ ONLY${isolation}; SET LOCAL statement_timeout = ${Math.ceil(timeout)}`);
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
