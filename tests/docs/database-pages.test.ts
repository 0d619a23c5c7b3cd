import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { callShipped } from '../support/cli/call-authzc.js';
import { type Page, readPage } from '../support/docs/blocks.js';
import { generateClient, PRISMA } from '../support/prisma-client.js';
import { freePort } from '../support/sources/daemons.js';
import { skip } from '../support/skip.js';
import { runCode } from './code-blocks.js';
import { apiExamples, needsDatabase, pagesThatRun } from './pages.js';

const test = suite('pages with a database');

const only = process.env['AUTHZ_DOCS_PAGE'] ?? '';
const pages = pagesThatRun()
  .map(readPage)
  .filter((page) => needsDatabase(page) && page.path.includes(only));

const examples = apiExamples().filter((page) => needsDatabase(page) && page.path.includes(only));

for (const page of pages)
  test(`${page.path}: code type-checks, runs in PostgreSQL and prints what is shown`, async () => {
    if (usesPrisma(page) && !existsSync(PRISMA)) return skip(import.meta.url, 'Prisma is not installed (.ci/run does)');
    const cluster = await startCluster();
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    try {
      const { host, user, database } = cluster.connection;
      const environment = { DATABASE_URL: `postgresql://${user}@${encodeURIComponent(host)}/${database}` };
      const prepare = usesPrisma(page) ? generateClient : (folder: string) => writeRowSecurity(page, folder);
      assert.equal(await runCode([page], { environment, prepare }), []);
    } finally {
      await cluster.stop();
    }
  });

test('examples of the API report run in PostgreSQL and print what they show', async () => {
  const cluster = await startCluster(await freePort());
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  try {
    await cluster.client.query('CREATE ROLE app');
    assert.equal(await runCode(examples, { environment: { DATABASE_URL: cluster.url ?? '' } }), []);
  } finally {
    await cluster.stop();
  }
});

test.run();

function usesPrisma({ blocks }: Page): boolean {
  return blocks.some(({ language }) => language === 'prisma');
}

/** Runs the lines of a page that write row level security. */
async function writeRowSecurity({ blocks }: Page, folder: string): Promise<void> {
  const lines = blocks.filter(({ language }) => language === 'console').flatMap(({ text }) => text.split('\n'));
  for (const line of lines.filter((each) => each.startsWith('$ npx authzc rls '))) {
    const { code, output } = await callShipped(line.split(' ').slice(3), folder);
    if (code !== 0) throw new Error(output);
  }
}
