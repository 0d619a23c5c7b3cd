import { existsSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { callShipped } from '../support/cli/call-authzc.js';
import { type Page, readPage } from '../support/docs/blocks.js';
import { generateClient, PRISMA } from '../support/prisma-client.js';
import { freePort } from '../support/free-port.js';
import { skip } from '../support/skip.js';
import { type CheckedCode, checkCode } from './code-blocks.js';
import { apiExamples, needsDatabase, pagesThatRun } from './pages.js';

const test = suite('pages with a database');

const only = process.env['AUTHZ_DOCS_PAGE'] ?? '';
const hasPrisma = existsSync(PRISMA);
const pages = pagesThatRun()
  .map(readPage)
  .filter((page) => needsDatabase(page) && page.path.includes(only));
const examples = apiExamples().filter((page) => needsDatabase(page) && page.path.includes(only));
const checked = [...pages.filter((page) => hasPrisma || !usesPrisma(page)), ...examples];

let code: CheckedCode | undefined;
test.before(async () => {
  const prepare = (page: Page, folder: string): Promise<void> =>
    usesPrisma(page) ? generateClient(folder) : runCommands(page, folder);
  code = await checkCode(checked, { prepare });
});
test.after(() => code?.remove());

test('the code of pages and examples type-checks', () => {
  assert.ok(only !== '' || checked.length > 0);
  assert.equal(code?.mistakes, []);
});

for (const page of pages)
  test(`${page.path}: code runs in PostgreSQL and prints what is shown`, async () => {
    if (!checked.includes(page)) return skip(import.meta.url, 'Prisma is not installed (.ci/run does)');
    const cluster = await startCluster();
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    try {
      const { host, user, database } = cluster.connection;
      const environment = { DATABASE_URL: `postgresql://${user}@${encodeURIComponent(host)}/${database}` };
      assert.equal(await code?.run(page, environment), []);
    } finally {
      await cluster.stop();
    }
  });

test('examples of the API report run in PostgreSQL and print what they show', async () => {
  const cluster = await startCluster(await freePort());
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  try {
    await cluster.client.query('CREATE ROLE app');
    const blocks = examples.flatMap((page) => page.blocks);
    assert.equal(await code?.run({ blocks }, { DATABASE_URL: cluster.url ?? '' }), []);
  } finally {
    await cluster.stop();
  }
});

test.run();

function usesPrisma({ blocks }: Page): boolean {
  return blocks.some(({ language }) => language === 'prisma');
}

/** Runs the lines of a page that write row level security, or a projection for browsers. */
async function runCommands({ blocks }: Page, folder: string): Promise<void> {
  const lines = blocks.filter(({ language }) => language === 'console').flatMap(({ text }) => text.split('\n'));
  for (const line of lines.filter((each) => /^\$ npx authzc (rls|compile .*--client) /.test(each))) {
    // The modules that were compiled stay as they are.
    const like = line.includes(' compile ') ? ['--explain', '--facts', '--bundle', '.bundle/policies.js'] : [];
    const { code, output } = await callShipped([...line.split(' ').slice(3), ...like], folder);
    if (code !== 0) throw new Error(output);
  }
}
