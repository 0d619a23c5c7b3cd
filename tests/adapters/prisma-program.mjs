/**
 * Answers plans by a database through Prisma Client and our adapter. Reads `{provider, url, rows, filters}` from standard
 * input, and prints for each filter the ids of the rows that it selects, or why there are none. It is bundled with a
 * client that prisma.test.ts generates.
 */
import { text } from 'node:stream/consumers';
import { PrismaClient } from 'generated-client';
import { prismaAdapter, UnsupportedPlanError } from '../../adapters/prisma.ts';

const { provider, url, rows, filters } = JSON.parse(await text(process.stdin));
const isSqlite = provider === 'sqlite';
const adapter = isSqlite
  ? new (await import('@prisma/adapter-libsql')).PrismaLibSql({ url })
  : new (await import('@prisma/adapter-pg')).PrismaPg({ connectionString: url });
const prisma = new PrismaClient({ adapter });

const allowed = prismaAdapter('Note', {
  provider,
  id: 'id',
  attributes: {
    owner: { field: 'owner', type: 'text', collation: 'binary' },
    status: { field: 'status', type: 'text' },
    amount: { field: 'amount', type: 'integer' },
    price: { field: 'price', type: 'number', null: 'null' },
    shared: { field: 'shared', type: 'boolean' },
    tags: isSqlite
      ? { field: 'tags', relation: 'many', value: { field: 'value', type: 'text' } }
      : { field: 'tags', type: 'list' },
    home: {
      field: 'home',
      relation: 'one',
      attributes: { city: { field: 'city', type: 'text' }, size: { field: 'size', type: 'integer' } },
    },
    shares: {
      field: 'shares',
      relation: 'many',
      attributes: { user: { field: 'user', type: 'text', null: 'never' }, role: { field: 'role', type: 'text' } },
    },
  },
});

const [real, list] = isSqlite ? ['REAL', ''] : ['double precision', ', tags text[]'];
for (const table of [
  `CREATE TABLE "Note" (id text PRIMARY KEY, owner text, status text, amount int, price ${real}, shared boolean${list})`,
  'CREATE TABLE "Tag" (id int PRIMARY KEY, value text NOT NULL, "noteId" text NOT NULL)',
  'CREATE TABLE "Home" (id int PRIMARY KEY, city text, size int, "noteId" text NOT NULL UNIQUE)',
  'CREATE TABLE "Share" (id int PRIMARY KEY, "user" text NOT NULL, role text, "noteId" text NOT NULL)',
])
  await prisma.$executeRawUnsafe(table);
let next = 0;
const numbered = (records, noteId) => records.map((record) => ({ id: ++next, ...record, noteId }));
const related = { tag: [], home: [], share: [] };
const notes = rows.map(({ id, attr: { tags, home, shares, price, ...columns } }) => {
  if (isSqlite)
    related.tag.push(
      ...numbered(
        tags.map((value) => ({ value })),
        id,
      ),
    );
  related.home.push(...numbered(home === undefined ? [] : [home], id));
  related.share.push(...numbered(shares, id));
  return { id, ...columns, ...(!isSqlite && { tags }) };
});
await prisma.note.createMany({ data: notes });
// Prisma rounds what it writes.
for (const { id, attr } of rows)
  if (attr.price !== null)
    await prisma.$executeRawUnsafe(`UPDATE "Note" SET price = ${attr.price.toExponential()} WHERE id = '${id}'`);
for (const [model, data] of Object.entries(related)) if (data.length > 0) await prisma[model].createMany({ data });

const answers = [];
for (const filter of filters) {
  try {
    const where = allowed({ filter });
    try {
      answers.push({ ids: (await prisma.note.findMany({ where, select: { id: true } })).map(({ id }) => id) });
    } catch (error) {
      answers.push({ failed: `${error.message} ${JSON.stringify(where)}` });
    }
  } catch (error) {
    answers.push({ [error instanceof UnsupportedPlanError ? 'refused' : 'failed']: error.message });
  }
}
await prisma.$disconnect();
process.stdout.write(JSON.stringify(answers));
