/**
 * Asks a database as principals through Prisma Client. Reads `{url, asked, max}` from standard input, and prints for each asked
 * principal the owners that it sees, or why there are none. It is bundled with a client that with-principal-prisma.test.ts
 * generates.
 */
import { text } from 'node:stream/consumers';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from 'generated-client';
import { withPrincipal } from '../../packages/rls/prisma.ts';

const { url, asked, max } = JSON.parse(await text(process.stdin));
const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString: url, max }),
  transactionOptions: { maxWait: 60_000, timeout: 60_000 },
});
const answers = await Promise.all(
  asked.map(({ principal, role, fails }) =>
    withPrincipal(
      prisma,
      principal,
      async (transaction) => {
        const rows = await transaction.doc.findMany({ distinct: ['owner'] });
        if (fails) throw new Error('aborted');
        return rows.map(({ owner }) => owner);
      },
      { role },
    ).catch((error) => `${error.name}: ${error.message}`),
  ),
);
const bare = await prisma.doc.count().catch((error) => String(error.message));
process.stdout.write(JSON.stringify({ answers, bare }));
await prisma.$disconnect();
