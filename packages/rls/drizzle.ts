/** Transactions of a principal with Drizzle. */
import { type SQL, sql } from 'drizzle-orm';
import { enterSession, type SessionOptions, type SessionPrincipal } from './enter-session.js';

export { ExemptRoleError, NestedPrincipalError, type SessionOptions, type SessionPrincipal } from './enter-session.js';

/** A database of Drizzle for PostgreSQL. */
export interface DrizzleDatabase<Transaction extends DrizzleTransaction> {
  transaction<Result>(callback: (transaction: Transaction) => Promise<Result>): Promise<Result>;
}

/** A transaction of Drizzle. Its drivers return rows alone, or in an object. */
export interface DrizzleTransaction {
  execute(statement: SQL): PromiseLike<unknown>;
}

/**
 * The result of a callback in a transaction in which a principal sees the rows that policies of `authzc rls` show. It is
 * rolled back if the callback throws.
 *
 * @example
 * import { withPrincipal } from 'authz/rls/drizzle';
 * import { sql } from 'drizzle-orm';
 * import { drizzle } from 'drizzle-orm/node-postgres';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] });
 * const ann = { id: 'ann', roles: ['user'], attr: { tenant: 't1' } };
 * // In your project: tx.select().from(invoices) returns the invoices that Ann may see.
 * const seen = await withPrincipal(drizzle(pool), ann, async (tx) => {
 *   const { rows } = await tx.execute(sql`SELECT current_setting('authz.principal')::json ->> 'id' AS id`);
 *   return rows;
 * }, { role: 'app' });
 * console.log(seen); // => [ { id: 'ann' } ]
 * await pool.end();
 *
 * @throws {TypeError} for a principal that a database would read differently.
 * @throws {NestedPrincipalError} in a transaction of another principal.
 * @throws {ExemptRoleError} for a role that policies do not apply to.
 */
export function withPrincipal<Transaction extends DrizzleTransaction, Result>(
  db: DrizzleDatabase<Transaction>,
  principal: SessionPrincipal,
  callback: (transaction: Transaction) => Promise<Result>,
  options: SessionOptions = {},
): Promise<Result> {
  return db.transaction(async (transaction) => {
    const run = async (statement: string, values: readonly string[]): Promise<readonly unknown[]> => {
      const [before = '', after = ''] = statement.split('$1');
      const [value] = values;
      const query = value === undefined ? sql.raw(statement) : sql`${sql.raw(before)}${value}${sql.raw(after)}`;
      const result = await transaction.execute(query);
      return Array.isArray(result) ? (result as unknown[]) : (result as { readonly rows: readonly unknown[] }).rows;
    };
    const leave = await enterSession(run, db, principal, options);
    const result = await callback(transaction);
    await leave();
    return result;
  });
}
