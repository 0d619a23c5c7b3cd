/**
 * Answers plans by a database through Prisma Client and our adapter. Reads `{provider, url, rows, filters, combined}` from
 * standard input. Prints for each filter the ids of the rows that it selects, or why there are none, and what each
 * composition of the filters `combined.plans` selects, counts, updates and deletes. It is bundled with a client that
 * prisma.test.ts generates.
 */
import { text } from 'node:stream/consumers';
import { PrismaClient } from 'generated-client';
import { prismaAdapter, UnsupportedPlanError } from '../../packages/adapters/prisma/index.ts';
import { composed } from './compositions.ts';
import { noteMapping } from './prisma-mapping.ts';

const { provider, url, rows, filters, combined } = JSON.parse(await text(process.stdin));
const isSqlite = provider === 'sqlite';
const adapter = isSqlite
  ? new (await import('@prisma/adapter-libsql')).PrismaLibSql({ url })
  : new (await import('@prisma/adapter-pg')).PrismaPg({ connectionString: url });
const prisma = new PrismaClient({ adapter });

const allowed = prismaAdapter('Note', noteMapping(provider));

const [real, list] = isSqlite ? ['REAL', ''] : ['double precision', ', tags text[]'];
for (const table of [
  `CREATE TABLE "Note" (id text PRIMARY KEY, owner text, status text, amount int, price ${real}, shared boolean, touched int${list})`,
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

const compositions = [];
for (const [index, composition] of combined.compositions.entries()) {
  const where = composed(composition, {
    plan: (position) => allowed({ filter: combined.plans[position] }),
    own: (position) => ({ id: { in: combined.own[position] } }),
    all: (AND) => ({ AND }),
    any: (OR) => ({ OR }),
    not: (NOT) => ({ NOT }),
  });
  compositions.push({ where, ...(await effectsOf(where, index)) });
}
// Other ways to write a plan into a query.
const ways = [];
for (const [plan, filter] of combined.plans.entries()) {
  const where = allowed({ filter });
  const own = { id: { in: combined.own[0] } };
  const [id] = combined.own[0];
  const related = async (condition) =>
    (await prisma.share.findMany({ where: condition, select: { noteId: true }, distinct: ['noteId'] })).map(
      ({ noteId }) => noteId,
    );
  ways.push({
    plan,
    where,
    and: {
      'AND of an object': await idsOf({ AND: where, ...own }),
      'spread before': await idsOf({ ...where, ...own }),
      'spread after': await idsOf({ ...own, ...where }),
      twice: await idsOf({ AND: [where, where, own] }),
      NOT: await idsOf({ ...own, NOT: { NOT: where } }),
    },
    ofRecord: {
      unique: await prisma.note.findUnique({ where: { id, ...where } }),
      first: await prisma.note.findFirst({ where: { ...where, id } }),
      updated: await orNull(() => prisma.note.update({ where: { id, ...where }, data: { touched: -1 } })),
    },
    related: {
      implicit: await related({ note: where }),
      is: await related({ note: { is: where } }),
      isNot: await related({ note: { isNot: where } }),
      include: (await prisma.share.findMany({ include: { note: true }, where: { AND: [{ note: where }, {}] } })).map(
        ({ note }) => note.id,
      ),
    },
  });
}
// Each attribute alone must be able to say all and none.
const constants = [];
const { attributes } = noteMapping(provider);
for (const [name, attribute] of Object.entries(attributes))
  for (const kind of ['KIND_ALWAYS_ALLOWED', 'KIND_ALWAYS_DENIED']) {
    const where = prismaAdapter('Note', { provider, attributes: { [name]: attribute } })({ filter: { kind } });
    const own = { id: { in: combined.own[0] } };
    constants.push({
      name,
      where,
      isAllowed: kind === 'KIND_ALWAYS_ALLOWED',
      counts: {
        plain: await prisma.note.count({ where }),
        and: await prisma.note.count({ where: { AND: [where, own] } }),
        or: await prisma.note.count({ where: { OR: [where, own] } }),
        not: await prisma.note.count({ where: { NOT: where } }),
      },
    });
  }
await prisma.$disconnect();
process.stdout.write(JSON.stringify({ answers, compositions, ways, constants }));

async function idsOf(where) {
  return (await prisma.note.findMany({ where, select: { id: true } })).map(({ id }) => id);
}

async function orNull(call) {
  try {
    return await call();
  } catch (error) {
    if (error.code === 'P2025') return null;
    throw error;
  }
}

/** What a query selects, and each tenth updates and deletes. */
async function effectsOf(where, index) {
  const ids = await idsOf(where);
  const count = await prisma.note.count({ where });
  if (index % 10 !== 0) return { ids, count };
  const { count: updated } = await prisma.note.updateMany({ where, data: { touched: index } });
  const touched = await idsOf({ touched: index });
  let deleted;
  const rollback = new Error('rolled back');
  try {
    await prisma.$transaction(async (transaction) => {
      deleted = (await transaction.note.deleteMany({ where })).count;
      throw rollback;
    });
  } catch (error) {
    if (error !== rollback) throw error;
  }
  return { ids, count, updated, touched, deleted };
}
