/**
 * Answers plans of idioms by PostgreSQL through Prisma Client and our adapter. Reads `{url, rows, filters}` from standard
 * input, and prints for each filter the ids of the rows that it selects, or why there are none. It is bundled with a
 * client that prisma.test.ts generates.
 */
import { text } from 'node:stream/consumers';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from 'generated-client';
import { prismaAdapter, UnsupportedPlanError } from '../../../packages/adapters/prisma/index.ts';
import { prismaMapping } from './mappings.ts';

const { url, rows, filters } = JSON.parse(await text(process.stdin));
const prisma = new PrismaClient({ adapter: new PrismaPg({ connectionString: url }) });
const time = 'timestamptz(3)';
for (const table of [
  `CREATE TABLE "Document" (id int PRIMARY KEY, owner text, assignee text, status text NOT NULL, title text COLLATE "C", email text COLLATE "C.utf8", amount int, price double precision, shared boolean, "createdAt" ${time} NOT NULL, "expiresAt" ${time}, path text COLLATE "C", ip text, tags text[])`,
  'CREATE TABLE "Home" ("documentId" int PRIMARY KEY, city text)',
  `CREATE TABLE "Share" (id int PRIMARY KEY, "user" text NOT NULL, team text, role text, until ${time}, "documentId" int NOT NULL)`,
  'CREATE TABLE "Project" ("documentId" int PRIMARY KEY, lead text, org text NOT NULL, public boolean NOT NULL)',
])
  await prisma.$executeRawUnsafe(table);
let next = 0;
const related = { home: [], share: [], project: [] };
const documents = rows.map(({ id: written, attr: { home, shares, project, ...columns } }) => {
  const id = Number(written);
  if (home !== undefined) related.home.push({ ...home, documentId: id });
  if (project !== undefined) related.project.push({ ...project, documentId: id });
  related.share.push(...shares.map((share) => ({ id: ++next, ...share, documentId: id })));
  return { id, ...columns };
});
await prisma.document.createMany({ data: documents });
for (const [model, data] of Object.entries(related)) await prisma[model].createMany({ data });
// An empty list is stored as one, or as NULL.
await prisma.$executeRawUnsafe(`UPDATE "Document" SET tags = NULL WHERE tags = '{}' AND id % 2 = 0`);

const allowed = prismaAdapter('Document', prismaMapping('postgresql'), prisma);
const answers = [];
for (const filter of filters) {
  let where;
  try {
    where = allowed({ filter });
  } catch (error) {
    answers.push({ [error instanceof UnsupportedPlanError ? 'refused' : 'failed']: error.message });
    continue;
  }
  try {
    const found = await prisma.document.findMany({ where, select: { id: true } });
    answers.push({ ids: found.map(({ id }) => String(id)) });
  } catch (error) {
    answers.push({ failed: `${error.message} ${JSON.stringify(where)}` });
  }
}
await prisma.$disconnect();
process.stdout.write(JSON.stringify(answers));
