import { execFile, execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { conformance, conformanceCases, ROWS } from '../../adapters/conformance/index.js';
import { ROOT } from '../support/compiled.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { randomTypedAttributes } from './random-conditions.js';
import { compared, randomPlans } from './random-plans.js';

/** Where `.ci/run` installs Prisma. */
const PRISMA = join(ROOT, '.cache/prisma/node_modules');

const test = suite('adapter for Prisma');

const schemaOf = (provider: string): string => `generator client {
  provider = "prisma-client"
  output   = "client"
}
datasource db {
  provider = "${provider}"
}
model Note {
  id     String   @id
  owner  String?
  status String?
  amount Int?
  price  Float?
  shared Boolean?
  tags   ${provider === 'sqlite' ? 'Tag[]' : 'String[]'}
  home   Home?
  shares Share[]
}
model Home {
  id     Int     @id
  city   String?
  size   Int?
  noteId String  @unique
  note   Note    @relation(fields: [noteId], references: [id])
}
model Share {
  id     Int     @id
  user   String
  role   String?
  noteId String
  note   Note    @relation(fields: [noteId], references: [id])
}
${
  provider === 'sqlite'
    ? `model Tag {
  id     Int    @id
  value  String
  noteId String
  note   Note   @relation(fields: [noteId], references: [id])
}`
    : ''
}
`;

type Answer = { readonly ids: readonly string[] } | { readonly failed: string } | { readonly refused: string };

for (const provider of ['postgresql', 'sqlite'] as const)
  test(`a where object selects exactly the rows that check allows: ${provider}`, async () => {
    if (!existsSync(join(PRISMA, '@prisma/adapter-libsql')))
      return skip(import.meta.url, 'Prisma is not installed (.ci/run does)');
    const cluster = provider === 'postgresql' ? await startCluster() : undefined;
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    const folder = mkdtempSync(join(tmpdir(), 'authz-prisma-'));
    try {
      await prepare(folder, provider);
      const urlOf = cluster
        ? `postgresql://${cluster.connection.user}@${encodeURIComponent(cluster.connection.host)}/${cluster.connection.database}`
        : `file:${join(folder, 'notes.db')}`;
      const { rows, plans } = await randomPlans(randomTypedAttributes);
      const cases = conformanceCases();
      const answers = ask(folder, {
        provider,
        url: urlOf,
        rows: [...ROWS.filter(({ isTyped }) => isTyped), ...rows],
        filters: [...cases, ...plans].map(({ filter }) => filter),
      });
      const isRandom = new Set(rows.map(({ id }) => id));
      const answersOfCases = answers.slice(0, cases.length);
      const report = await conformance({
        rows: 'typed',
        select: () => {
          const answer = answersOfCases.shift() as Answer;
          if ('ids' in answer) return answer.ids.filter((id) => !isRandom.has(id));
          const error = new Error('failed' in answer ? answer.failed : answer.refused);
          if ('refused' in answer) error.name = 'UnsupportedPlanError';
          throw error;
        },
      });
      const { overGrants, underGrants, refusals, failures, ...counts } = report;
      console.log(`  ${provider}: ${JSON.stringify({ ...counts, refusals: refusals.length })}`);
      const tally = compared(plans, rows, (_, index) => {
        const answer = answers[cases.length + index] as Answer;
        if ('failed' in answer) throw new Error(answer.failed);
        return 'ids' in answer ? new Set(answer.ids) : undefined;
      });
      assert.equal([...overGrants, ...failures], []);
      assert.equal(tally.overGrants.slice(0, 5), []);
      // A number beyond 1e308 is not selected (docs/adapters.md#prisma).
      assert.equal(
        underGrants.filter(({ condition, ids }) => !condition.includes('R.attr.price') || ids.join() !== 'extreme'),
        [],
      );
      assert.equal(tally.underGrants.slice(0, 5), []);
      assert.ok(counts.exact > 320 && tally.selected > 2_500, 'the adapter refuses too much');
    } finally {
      await cluster?.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });

test.run();

/** Generates the client, which needs no engine but downloads one unless it is told of another, and bundles the program. */
async function prepare(folder: string, provider: string): Promise<void> {
  symlinkSync(PRISMA, join(folder, 'node_modules'));
  writeFileSync(join(folder, 'schema.prisma'), schemaOf(provider));
  writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
  await promisify(execFile)(
    process.execPath,
    [join(PRISMA, 'prisma/build/index.js'), 'generate', '--schema', 'schema.prisma'],
    { cwd: folder, env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' } },
  );
  await build({
    entryPoints: [new URL('prisma-program.mjs', import.meta.url).pathname],
    outfile: join(folder, 'bundled.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@prisma/*'],
    alias: { 'generated-client': join(folder, 'client/client.ts') },
    logLevel: 'error',
  });
}

function ask(folder: string, questions: object): Answer[] {
  const output = execFileSync(process.execPath, [join(folder, 'bundled.mjs')], {
    cwd: folder,
    input: JSON.stringify(questions),
    maxBuffer: 64 * 1024 * 1024,
  });
  return JSON.parse(output.toString()) as Answer[];
}
