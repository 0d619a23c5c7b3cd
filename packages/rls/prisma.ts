/** Transactions of a principal with Prisma. */
import { enterSession, type SessionOptions, type SessionPrincipal } from './enter-session.js';

export { ExemptRoleError, NestedPrincipalError, type SessionOptions, type SessionPrincipal } from './enter-session.js';

/** A client of Prisma for PostgreSQL. */
export interface PrismaDatabase<Transaction extends PrismaTransaction> {
  $transaction<Result>(callback: (transaction: Transaction) => Promise<Result>): Promise<Result>;
}

/** An interactive transaction of Prisma. */
export interface PrismaTransaction {
  $queryRawUnsafe<Result = unknown>(statement: string, ...values: unknown[]): PromiseLike<Result>;
}

/**
 * The result of a callback in an interactive transaction in which a principal sees the rows that policies of `authzc rls`
 * show. It is rolled back if the callback throws.
 *
 * @example
 * import { type PrismaDatabase, type PrismaTransaction, withPrincipal } from 'authz/rls/prisma';
 *
 * // In your project: import type { PrismaClient } from './prisma/client.js'.
 * interface Client extends PrismaTransaction {
 *   readonly invoice: { findMany(): Promise<readonly { id: string }[]> };
 * }
 * const ann = { id: 'ann', roles: ['user'], attr: { tenant: 't1' } };
 * const invoices = (prisma: PrismaDatabase<Client>) =>
 *   withPrincipal(prisma, ann, (tx) => tx.invoice.findMany(), { role: 'app' });
 * console.log(typeof invoices); // => function
 *
 * @throws {TypeError} for a principal that a database would read differently.
 * @throws {ExemptRoleError} for a role that policies do not apply to.
 */
export function withPrincipal<Transaction extends PrismaTransaction, Result>(
  prisma: PrismaDatabase<Transaction>,
  principal: SessionPrincipal,
  callback: (transaction: Transaction) => Promise<Result>,
  options: SessionOptions = {},
): Promise<Result> {
  return prisma.$transaction(async (transaction) => {
    const leave = await enterSession(
      (statement, values) => Promise.resolve(transaction.$queryRawUnsafe<readonly unknown[]>(statement, ...values)),
      prisma,
      principal,
      options,
    );
    const result = await callback(transaction);
    await leave();
    return result;
  });
}
