/**
 * Asks a database as principals through Prisma Client. Reads `{url, asked, max}` from standard input, and prints for each asked
 * principal the owners that it sees after each of its steps, or why there are none. It is bundled with a client that with-principal-prisma.test.ts
 * generates.
 */
import { text } from 'node:stream/consumers';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from 'generated-client';
import { NestedPrincipalError, withPrincipal } from '../../packages/rls/prisma.ts';

const { url, asked, max } = JSON.parse(await text(process.stdin));
const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString: url, max }),
  transactionOptions: { maxWait: 60_000, timeout: 60_000 },
});

/** The owners that a transaction sees. */
async function ownersOf(transaction) {
  const rows = await transaction.doc.findMany({ distinct: ['owner'] });
  return rows.map(({ owner }) => owner);
}

/** Steps of a transaction, which fail, wait, or ask as another principal within it or beside it. */
const STEPS = {
  abort: () => Promise.reject(new Error('aborted')),
  fail: (transaction) => transaction.$queryRawUnsafe('SELECT 1 / 0'),
  // A failure that the application does not pass on: each further statement fails.
  hide: (transaction) => transaction.$queryRawUnsafe('SELECT FROM no_such_table').catch(() => undefined),
  late: async (transaction) => {
    await transaction.$executeRawUnsafe("SET LOCAL statement_timeout = '5ms'");
    await transaction.$queryRawUnsafe('SELECT pg_sleep(1)::text');
  },
  save: async (transaction) => {
    await transaction.$executeRawUnsafe('SAVEPOINT one');
    await transaction.$queryRawUnsafe('SELECT 1 / 0').catch(() => undefined);
    await transaction.$executeRawUnsafe('ROLLBACK TO one');
  },
  wait: (transaction) => transaction.$queryRawUnsafe('SELECT pg_sleep(0.002)::text'),
  nested: (transaction, other, role) =>
    within(transaction, other, { role, nested: true }, async (inner) => {
      const owners = await ownersOf(inner);
      if (String(owners) !== other.id) throw new Error(`within, ${other.id} sees ${owners}`);
    }),
  failNested: (transaction, other, role) =>
    within(transaction, other, { role, nested: true }, (inner) => inner.$queryRawUnsafe('SELECT 1 / 0')).catch(
      () => undefined,
    ),
  unasked: async (transaction, other, role) => {
    const error = await within(transaction, other, { role }, ownersOf).catch((reason) => reason);
    if (!(error instanceof NestedPrincipalError)) throw new Error(`within, ${other.id} is not refused: ${error}`);
  },
};

/** A transaction of another principal within one. */
function within(transaction, principal, options, callback) {
  return withPrincipal(transaction, principal, callback, options);
}

const answers = await Promise.all(
  asked.map(({ principal, role, steps, other }) => {
    const seen = [];
    return withPrincipal(
      prisma,
      principal,
      async (transaction) => {
        seen.push(await ownersOf(transaction));
        for (const step of steps) {
          await STEPS[step](transaction, other, role);
          seen.push(await ownersOf(transaction));
        }
      },
      { role },
    ).then(
      () => ({ seen }),
      (error) => ({ seen, error: `${error.name}: ${error.message}` }),
    );
  }),
);
const bare = await prisma.doc.count().catch((error) => String(error.message));
process.stdout.write(JSON.stringify({ answers, bare }));
await prisma.$disconnect();
