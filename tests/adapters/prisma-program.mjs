/**
 * Answers plans by a database through Prisma Client and our adapter. Reads `{provider, url, rows, filters, combined}` from
 * standard input. Prints the report of the conformance kit, for each filter the ids of the rows that it selects, or why there are none, and what each
 * composition of the filters `combined.plans` selects, counts, updates and deletes. It is bundled with a client that
 * prisma.test.ts generates.
 */
import { text } from 'node:stream/consumers';
import { Prisma, PrismaClient } from 'generated-client';
import {
  canFor,
  prismaAdapter,
  prismaCan,
  prismaFacts,
  prismaMask,
  UnsupportedPlanError,
} from '../../packages/adapters/prisma/index.ts';
import { columnConformance, conformance, ROWS } from '../../packages/adapters/conformance/index.ts';
import { composed } from './compositions.ts';
import { noteMapping } from './prisma-mapping.ts';

const { provider, url, rows, filters, combined, types } = JSON.parse(await text(process.stdin));
const isSqlite = provider === 'sqlite';
const adapter = isSqlite
  ? new (await import('@prisma/adapter-libsql')).PrismaLibSql({ url })
  : new (await import('@prisma/adapter-pg')).PrismaPg({ connectionString: url });
// Prisma ends transactions after five seconds, which a busy machine may need.
const prisma = new PrismaClient({ adapter, transactionOptions: { maxWait: 600_000, timeout: 600_000 } });

const allowed = prismaAdapter('Note', noteMapping(provider), prisma);

const [real, list] = isSqlite ? ['REAL', ''] : ['double precision', ', tags text[]'];
for (const table of [
  `CREATE TABLE "Note" (id text PRIMARY KEY, owner text, status text, amount int, price ${real}, shared boolean, touched int${list})`,
  'CREATE TABLE "Tag" (id int PRIMARY KEY, value text NOT NULL, "noteId" text NOT NULL)',
  'CREATE TABLE "Home" (id int PRIMARY KEY, city text, size int, live boolean, "noteId" text NOT NULL UNIQUE)',
  'CREATE TABLE "Share" (id int PRIMARY KEY, "user" text NOT NULL, role text, deleted int, "noteId" text NOT NULL)',
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
  // Records that do not count.
  const [live, deleted] = [
    next % 2 === 0 ? false : null,
    { ...shares[0], user: 'anna', role: 'editor', deleted: next },
  ];
  related.home.push(...numbered([home === undefined ? { city: 'Bern', size: 1, live } : { ...home, live: true }], id));
  related.share.push(...numbered(next % 2 === 0 ? shares : [deleted, ...shares], id));
  return { id, ...columns, ...(!isSqlite && { tags }) };
});
await prisma.note.createMany({ data: notes });
// Prisma rounds what it writes.
for (const { id, attr } of rows)
  if (attr.price !== null)
    await prisma.$executeRawUnsafe(`UPDATE "Note" SET price = ${attr.price.toExponential()} WHERE id = '${id}'`);
for (const [model, data] of Object.entries(related)) if (data.length > 0) await prisma[model].createMany({ data });

const FACTS = ['owner', 'status', 'amount', 'price', 'shared'];
const facts = await factsOf();
const kit = await runKit();
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
    (
      await prisma.share.findMany({
        where: { ...condition, deleted: null },
        select: { noteId: true },
        distinct: ['noteId'],
      })
    ).map(({ noteId }) => noteId);
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
      include: (
        await prisma.share.findMany({ include: { note: true }, where: { AND: [{ note: where }, { deleted: null }] } })
      ).map(({ note }) => note.id),
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
const typed = await typesOf(types);
const raw = await rawColumns();
await prisma.$disconnect();
process.stdout.write(JSON.stringify({ facts, kit, answers, compositions, ways, constants, typed, raw }));

/** What a source of facts reads of each record, in a transaction; attributes that there are not are left out. */
async function factsOf() {
  const source = prismaFacts(prisma, 'Note', noteMapping(provider), { of: 'note', provides: FACTS });
  const wanted = { names: FACTS, select: {} };
  const { signal } = new AbortController();
  const found = await prisma.$transaction((tx) =>
    source.load(
      rows.map(({ id }) => id),
      { wanted, tx, signal },
    ),
  );
  return rows.map(({ id }) =>
    Object.fromEntries(Object.entries(found.get(id)).filter(([, value]) => typeof value !== 'symbol')),
  );
}

/** The conformance kit, about its rows beside others. */
async function runKit() {
  const ids = ROWS.filter(({ isTyped }) => isTyped).map(({ id }) => id);
  const among = (where) => ({ AND: [where, { id: { in: ids } }] });
  const whereOf = (combined) => {
    if ('plan' in combined) return allowed(combined.plan);
    if ('ids' in combined) return { id: { in: combined.ids } };
    if ('not' in combined) return { NOT: whereOf(combined.not) };
    return 'and' in combined ? { AND: combined.and.map(whereOf) } : { OR: combined.or.map(whereOf) };
  };
  const include = { home: true, shares: true, ...(isSqlite && { tags: true }) };
  return conformance({
    rows: 'typed',
    select: (plan) => idsOf(among(allowed(plan))),
    combine: (combined) => idsOf(among(whereOf(combined))),
    ways: {
      count: (plan) => prisma.note.count({ where: among(allowed(plan)) }),
      aggregate: async (plan) => (await prisma.note.aggregate({ where: among(allowed(plan)), _count: true }))._count,
      async update(plan) {
        await prisma.note.updateMany({ data: { touched: 0 } });
        await prisma.note.updateMany({ where: among(allowed(plan)), data: { touched: 7 } });
        return idsOf({ touched: 7 });
      },
      // Those that have a home, of which each row has one.
      related: async (plan) =>
        (await prisma.home.findMany({ where: { note: among(allowed(plan)) } })).map(({ noteId }) => noteId),
    },
    attributesOf: async (id) => allowed.attributesOf(await prisma.note.findUnique({ where: { id }, include })),
  });
}

/** What can columns and masks of raw queries say of each record, and what an engine says of those of findMany. */
async function rawColumns() {
  const text = (column, absence = 'missing') => ({ column, type: 'text', null: absence });
  const mapping = {
    dialect: provider,
    id: text('id', 'never'),
    attributes: {
      owner: text('owner'),
      status: text('status'),
      amount: { column: 'amount', type: 'integer' },
      shared: { column: 'shared', type: 'boolean' },
      price: { column: 'price', type: 'number', null: 'null' },
      home: {
        relation: 'one',
        table: 'Home',
        on: { noteId: 'id' },
        where: { live: true },
        columns: { city: text('city'), size: { column: 'size', type: 'integer' } },
      },
      shares: {
        relation: 'many',
        table: 'Share',
        on: { noteId: 'id' },
        where: { deleted: null },
        columns: { user: text('user', 'never'), role: text('role') },
      },
    },
  };
  const plans = Object.fromEntries(combined.plans.map((filter, index) => [`a${index}`, { filter }]));
  const options = { alias: 'n', onRefused: 'null' };
  const can = prismaCan(Prisma, 'Note', mapping)(plans, options);
  const mask = prismaMask(Prisma, 'Note', mapping);
  const cans = await prisma.$queryRaw`SELECT n.id, ${can} FROM "Note" AS n`;
  const shown = [];
  for (const action of Object.keys(plans)) {
    const masks = { id: action };
    const columns = mask.columns(plans, masks, options);
    const source = mask.source(plans, { '*': action }, { alias: 's', others: ['id'], onRefused: 'null' });
    const [own, read] = [
      await prisma.$queryRaw`SELECT ${columns} FROM "Note" AS n`,
      await prisma.$queryRaw`SELECT id FROM ${source} WHERE s.id IS NOT NULL`,
    ].map((rows) => rows.flatMap(({ id }) => (id === null ? [] : [id])));
    shown.push([own, read]);
  }
  const records = await prisma.note.findMany({
    include: { home: true, shares: true, ...(isSqlite && { tags: true }) },
  });
  const asked = [];
  const engine = {
    for: () => ({
      can(action, resource) {
        asked.push([action, resource.id]);
        return action === 'view' && resource.kind === 'note' && resource.attr.owner === 'anna';
      },
    }),
  };
  const marked = canFor(records, {
    engine,
    principal: { id: 'anna', roles: ['user'] },
    kind: 'note',
    actions: ['view', 'edit'],
    resourceOf: allowed.resourceOf,
  });
  const isKept = marked.every(
    (record, index) =>
      record.id === records[index].id && record.canView === (record.owner === 'anna') && record.canEdit === false,
  );
  return {
    cans: cans.map((row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [name, typeof value === 'bigint' ? Number(value) : value]),
      ),
    ),
    shown,
    marked: { isKept, count: marked.length, asked: asked.length },
  };
}

/** What each word makes of each field: why it is refused, or attributes and the records of each filter. */
async function typesOf({ statements, columns, filters: asked }) {
  for (const statement of statements) await prisma.$executeRawUnsafe(statement);
  const records = await prisma.thing.findMany({ orderBy: { id: 'asc' } });
  const found = [];
  const kit = [];
  for (const column of columns) {
    let adapter;
    try {
      adapter = prismaAdapter('Thing', { provider, attributes: { x: column } }, prisma);
    } catch (error) {
      if (error.name !== 'ColumnTypeError') throw error;
      found.push({ thrown: error.message });
      continue;
    }
    const selected = [];
    for (const filter of asked) {
      let where;
      try {
        where = adapter({ filter });
      } catch (error) {
        selected.push({ [error instanceof UnsupportedPlanError ? 'refused' : 'failed']: error.message });
        continue;
      }
      try {
        selected.push((await prisma.thing.findMany({ where, select: { id: true } })).map(({ id }) => id));
      } catch (error) {
        selected.push({ failed: `${error.message} ${JSON.stringify(where)}` });
      }
    }
    found.push({ attributes: records.map((record) => adapter.attributesOf(record)), selected });
    kit.push({
      name: `${column.field} as ${column.type}${column.null === undefined ? '' : `, ${column.null}`}`,
      ids: records.map(({ id }) => String(id)),
      attributesOf: (id) => adapter.attributesOf(records.find((record) => String(record.id) === id)),
      select: async (plan) =>
        (await prisma.thing.findMany({ where: adapter(plan), select: { id: true } })).map(({ id }) => String(id)),
    });
  }
  return { found, kit: await columnConformance(kit) };
}

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
