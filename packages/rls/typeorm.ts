/** Transactions of a principal with TypeORM. */
import type { DataSource, EntityManager } from 'typeorm';
import { enterSession, type SessionOptions, type SessionPrincipal } from './enter-session.js';

export { ExemptRoleError, NestedPrincipalError, type SessionOptions, type SessionPrincipal } from './enter-session.js';

/**
 * The result of a callback in a transaction in which a principal sees the rows that policies of `authzc rls` show. It is
 * rolled back if the callback throws.
 *
 * @example
 * import { withPrincipal } from 'authz/rls/typeorm';
 * import { DataSource } from 'typeorm';
 *
 * const source = await new DataSource({ type: 'postgres', url: process.env['DATABASE_URL'] ?? '' }).initialize();
 * const ann = { id: 'ann', roles: ['user'], attr: { tenant: 't1' } };
 * // In your project: manager.find(Invoice) returns the invoices that Ann may see.
 * const seen: unknown = await withPrincipal(source, ann, (manager) => manager.query("SELECT current_setting('authz.principal')::json ->> 'id' AS id"), { role: 'app' });
 * console.log(seen); // => [ { id: 'ann' } ]
 * await source.destroy();
 *
 * @throws {TypeError} for a principal that a database would read differently.
 * @throws {NestedPrincipalError} in a transaction of another principal.
 * @throws {ExemptRoleError} for a role that policies do not apply to.
 */
export function withPrincipal<Result>(
  source: DataSource | EntityManager,
  principal: SessionPrincipal,
  callback: (manager: EntityManager) => Promise<Result>,
  options: SessionOptions = {},
): Promise<Result> {
  return source.transaction(async (manager) => {
    const run = (statement: string, values: readonly string[]): Promise<readonly unknown[]> =>
      manager.query(statement, [...values]) as Promise<readonly unknown[]>;
    const leave = await enterSession(run, source, principal, options);
    const result = await callback(manager);
    await leave();
    return result;
  });
}
