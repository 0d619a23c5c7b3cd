/** Transactions of a principal with node-postgres. */
import { enterSession, type SessionOptions, type SessionPrincipal } from './enter-session.js';

export { ExemptRoleError, NestedPrincipalError, type SessionOptions, type SessionPrincipal } from './enter-session.js';

/** A pool of node-postgres. */
export interface PgPool<Client extends PgClient> {
  connect(): Promise<Client>;
}

/** A connection of a pool. */
export interface PgClient {
  query(statement: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
  /** Returns the connection to the pool, or closes it if there is an error. */
  release(error?: Error | boolean): void;
}

/**
 * The result of a callback in a transaction in which a principal sees the rows that policies of `authzc rls` show. It is
 * rolled back if the callback throws.
 *
 * @example
 * import { withPrincipal } from 'authz/rls/pg';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] });
 * const ann = { id: 'ann', roles: ['user'], attr: { tenant: 't1' } };
 * // In your project: client.query('SELECT * FROM invoices') returns the invoices that Ann may see.
 * const seen = await withPrincipal(pool, ann, async (client) => {
 *   const { rows } = await client.query("SELECT current_setting('authz.principal')::json ->> 'id' AS id");
 *   return rows;
 * }, { role: 'app' });
 * console.log(seen); // => [ { id: 'ann' } ]
 * await pool.end();
 *
 * @throws {TypeError} for a principal that a database would read differently.
 * @throws {ExemptRoleError} for a role that policies do not apply to.
 */
export async function withPrincipal<Client extends PgClient, Result>(
  pool: PgPool<Client>,
  principal: SessionPrincipal,
  callback: (client: Client) => Promise<Result>,
  options: SessionOptions = {},
): Promise<Result> {
  const client = await pool.connect();
  let isBroken = true;
  try {
    await client.query('BEGIN');
    const run = async (statement: string, values: readonly string[]): Promise<readonly unknown[]> =>
      (await client.query(statement, [...values])).rows;
    const leave = await enterSession(run, pool, principal, options);
    const result = await callback(client);
    await leave();
    await client.query('COMMIT');
    isBroken = false;
    return result;
  } catch (error) {
    // What cannot be rolled back must not be used again: it may still have the principal.
    isBroken = await client.query('ROLLBACK').then(
      () => false,
      () => true,
    );
    throw error;
  } finally {
    client.release(isBroken);
  }
}
