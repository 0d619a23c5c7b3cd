/** Transactions of a principal with Knex. */
import type { Knex } from 'knex';
import { enterSession, type SessionOptions, type SessionPrincipal } from './enter-session.js';

export { ExemptRoleError, NestedPrincipalError, type SessionOptions, type SessionPrincipal } from './enter-session.js';

/**
 * The result of a callback in a transaction in which a principal sees the rows that policies of `authzc rls` show. It is
 * rolled back if the callback throws.
 *
 * @example
 * import { withPrincipal } from 'authz/rls/knex';
 * import knex from 'knex';
 *
 * const db = knex({ client: 'pg', connection: process.env['DATABASE_URL'] ?? '' });
 * const ann = { id: 'ann', roles: ['user'], attr: { tenant: 't1' } };
 * // In your project: trx('invoices') returns the invoices that Ann may see.
 * const seen = await withPrincipal(db, ann, async (trx) => {
 *   const { rows } = await trx.raw<{ rows: unknown[] }>("SELECT current_setting('authz.principal')::json ->> 'id' AS id");
 *   return rows;
 * }, { role: 'app' });
 * console.log(seen); // => [ { id: 'ann' } ]
 * await db.destroy();
 *
 * @throws {TypeError} for a principal that a database would read differently.
 * @throws {NestedPrincipalError} in a transaction of another principal.
 * @throws {ExemptRoleError} for a role that policies do not apply to.
 */
export function withPrincipal<Result>(
  knex: Knex,
  principal: SessionPrincipal,
  callback: (transaction: Knex.Transaction) => Promise<Result>,
  options: SessionOptions = {},
): Promise<Result> {
  return knex.transaction(async (transaction) => {
    const run = async (statement: string, values: readonly string[]): Promise<readonly unknown[]> => {
      const { rows } = (await transaction.raw(statement.replace('$1', '?'), [...values])) as {
        readonly rows: readonly unknown[];
      };
      return rows;
    };
    const leave = await enterSession(run, knex, principal, options);
    const result = await callback(transaction);
    await leave();
    return result;
  });
}
