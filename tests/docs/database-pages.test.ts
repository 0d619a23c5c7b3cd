import { execFile } from 'node:child_process';
import { existsSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { ROOT } from '../support/compiled.js';
import { type Page, readPage } from '../support/docs/blocks.js';
import { skip } from '../support/skip.js';
import { runCode } from './code-blocks.js';
import { needsDatabase, pagesThatRun } from './pages.js';

const test = suite('pages with a database');

/** Where `.ci/run` installs Prisma, which is larger than all other dependencies together. */
const PRISMA = join(ROOT, '.cache/prisma/node_modules');

const only = process.env['AUTHZ_DOCS_PAGE'] ?? '';
const pages = pagesThatRun()
  .map(readPage)
  .filter((page) => needsDatabase(page) && page.path.includes(only));

for (const page of pages)
  test(`${page.path}: code type-checks, runs in PostgreSQL and prints what is shown`, async () => {
    if (usesPrisma(page) && !existsSync(PRISMA)) return skip(import.meta.url, 'Prisma is not installed (.ci/run does)');
    const cluster = await startCluster();
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    try {
      const { host, user, database } = cluster.connection;
      const environment = { DATABASE_URL: `postgresql://${user}@${encodeURIComponent(host)}/${database}` };
      const prepare = usesPrisma(page) ? generateClient : undefined;
      assert.equal(await runCode([page], { environment, ...(prepare === undefined ? {} : { prepare }) }), []);
    } finally {
      await cluster.stop();
    }
  });

test.run();

function usesPrisma({ blocks }: Page): boolean {
  return blocks.some(({ language }) => language === 'prisma');
}

/** Runs `prisma generate`, which needs no engine but downloads one unless it is told of another. */
async function generateClient(folder: string): Promise<void> {
  symlinkSync(PRISMA, join(folder, 'node_modules'));
  await promisify(execFile)(process.execPath, [join(PRISMA, 'prisma/build/index.js'), 'generate'], {
    cwd: folder,
    env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
  });
}
