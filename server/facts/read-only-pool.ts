import { type Client, openPool, type Pool, type PoolOptions } from '../outgoing/postgresql-pool.js';

/** Runs queries that cannot write. */
export interface ReadOnlyPool {
  readonly run: (text: string, values: readonly unknown[]) => Promise<readonly object[]>;
  readonly close: () => Promise<void>;
}

/** Opens connections when they are needed. */
export async function openReadOnlyPool(options: PoolOptions): Promise<ReadOnlyPool> {
  const pool = await openPool(options);
  const { timeout } = options;
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
