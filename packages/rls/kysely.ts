/** Transactions of a principal with Kysely. */
import { CompiledQuery, type Kysely, type Transaction } from 'kysely';
import { enterSession, type SessionOptions, type SessionPrincipal } from './enter-session.js';

export { ExemptRoleError, NestedPrincipalError, type SessionOptions, type SessionPrincipal } from './enter-session.js';

/**
 * The result of a callback in a transaction in which a principal sees the rows that policies of `authzc rls` show. It is
 * rolled back if the callback throws.
 *
 * @example
 * import { withPrincipal } from 'authz/rls/kysely';
 * import { Kysely, PostgresDialect, sql } from 'kysely';
 * import { Pool } from 'pg';
 *
 * const pool = new Pool({ connectionString: process.env['DATABASE_URL'] });
 * const db = new Kysely<object>({ dialect: new PostgresDialect({ pool }) });
 * const ann = { id: 'ann', roles: ['user'], attr: { tenant: 't1' } };
 * // In your project: trx.selectFrom('invoices').selectAll().execute() returns the invoices that Ann may see.
 * const seen = await withPrincipal(db, ann, async (trx) => {
 *   const { rows } = await sql`SELECT current_setting('authz.principal')::json ->> 'id' AS id`.execute(trx);
 *   return rows;
 * }, { role: 'app' });
 * console.log(seen); // => [ { id: 'ann' } ]
 * await db.destroy();
 *
 * @throws {TypeError} for a principal that a database would read differently.
 * @throws {ExemptRoleError} for a role that policies do not apply to.
 */
export function withPrincipal<Database, Result>(
  db: Kysely<Database>,
  principal: SessionPrincipal,
  callback: (transaction: Transaction<Database>) => Promise<Result>,
  options: SessionOptions = {},
): Promise<Result> {
  return db.transaction().execute(async (transaction) => {
    const leave = await enterSession(
      async (statement, values) => (await transaction.executeQuery(CompiledQuery.raw(statement, [...values]))).rows,
      db,
      principal,
      options,
    );
    const result = await callback(transaction);
    await leave();
    return result;
  });
}
