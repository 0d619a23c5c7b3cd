/** Transactions of a principal with Postgres.js. */
import { enterSession, type SessionOptions, type SessionPrincipal } from './enter-session.js';

export { ExemptRoleError, NestedPrincipalError, type SessionOptions, type SessionPrincipal } from './enter-session.js';

/** The function `sql` of Postgres.js. */
export interface PostgresJs<Transaction extends PostgresJsTransaction> {
  begin<Result>(callback: (transaction: Transaction) => Promise<Result>): Promise<unknown>;
  // TypeScript infers the transaction from the last of several signatures.
  begin<Result>(options: string, callback: (transaction: Transaction) => Promise<Result>): Promise<unknown>;
}

/** The function `sql` of a transaction. */
export interface PostgresJsTransaction {
  unsafe(statement: string, parameters?: string[]): PromiseLike<readonly unknown[]>;
}

/**
 * The result of a callback in a transaction in which a principal sees the rows that policies of `authzc rls` show. It is
 * rolled back if the callback throws.
 *
 * @example
 * import { withPrincipal } from 'authz/rls/postgres-js';
 * import postgres from 'postgres';
 *
 * const sql = postgres(process.env['DATABASE_URL'] ?? '');
 * const ann = { id: 'ann', roles: ['user'], attr: { tenant: 't1' } };
 * // In your project: tx`SELECT * FROM invoices` returns the invoices that Ann may see.
 * const seen = await withPrincipal(sql, ann, async (tx) => {
 *   const [row] = await tx`SELECT current_setting('authz.principal')::json ->> 'id' AS id`;
 *   return row;
 * }, { role: 'app' });
 * console.log(seen); // => { id: 'ann' }
 * await sql.end();
 *
 * @throws {TypeError} for a principal that a database would read differently.
 * @throws {ExemptRoleError} for a role that policies do not apply to.
 */
export async function withPrincipal<Transaction extends PostgresJsTransaction, Result>(
  sql: PostgresJs<Transaction>,
  principal: SessionPrincipal,
  callback: (transaction: Transaction) => Promise<Result>,
  options: SessionOptions = {},
): Promise<Result> {
  const result = await sql.begin(async (transaction) => {
    const leave = await enterSession(
      async (statement, values) => transaction.unsafe(statement, [...values]),
      sql,
      principal,
      options,
    );
    // Postgres.js takes a list that a callback returns for queries to wait for.
    const value = await callback(transaction);
    await leave();
    return { value };
  });
  return (result as { readonly value: Result }).value;
}
