import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../../support/oracle/random.js';
import { rounds, SEED } from '../../support/effort.js';
import { bundleWithClient, generateClient, PRISMA } from '../../support/prisma-client.js';
import { skip } from '../../support/skip.js';
import { startCluster } from '../../support/sql/postgresql-cluster.js';
import { DOCUMENT_SCHEMA } from './prisma-schema.js';
import { idiomPlans, type Row, typedRows } from './rows.js';

/** Prisma has no way to say the others, so a run that answers fewer has lost some. */
const LEAST_IDIOMS = 132;

type Answer = { readonly ids: readonly string[] } | { readonly failed: string } | { readonly refused: string };

const test = suite('idioms in Prisma');

test('a where object selects the rows that check allows', async () => {
  if (!existsSync(join(PRISMA, '@prisma/adapter-pg')))
    return skip(import.meta.url, 'Prisma is not installed (.ci/run does)');
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const folder = mkdtempSync(join(tmpdir(), 'authz-prisma-idioms-'));
  try {
    writeFileSync(join(folder, 'schema.prisma'), DOCUMENT_SCHEMA);
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}');
    await generateClient(folder, '--schema', 'schema.prisma');
    await bundleWithClient(new URL('prisma-program.mjs', import.meta.url), folder);
    const { user, host, database } = cluster.connection;
    const rows = typedRows(new Random(SEED), rounds(400, 60));
    const plans = await idiomPlans('composed');
    const output = execFileSync(process.execPath, [join(folder, 'bundled.mjs')], {
      cwd: folder,
      input: JSON.stringify({
        url: `postgresql://${user}@${encodeURIComponent(host)}/${database}`,
        rows,
        filters: plans.map(({ filter }) => filter),
      }),
      maxBuffer: 256 * 1024 * 1024,
    });
    const answers = JSON.parse(output.toString()) as readonly Answer[];
    const wrong: string[] = [];
    const answered = new Set<string>();
    for (const [index, plan] of plans.entries()) {
      const answer = answers[index] as Answer;
      if ('refused' in answer) continue;
      if ('failed' in answer) {
        wrong.push(`${plan.name}: ${answer.failed}`);
        continue;
      }
      answered.add(plan.idiom);
      const selected = new Set(answer.ids);
      // A string with a letter that collations make one of ASCII may be left out (docs/adapters.md#prisma).
      const isLeftOut = ({ attr }: Row): boolean =>
        plan.idiom.includes('lowerAscii') && /[\u212a\u0130]/.test(String(attr.email));
      const differing = rows.filter(
        (row) => selected.has(row.id) !== plan.isAllowed(row) && (selected.has(row.id) || !isLeftOut(row)),
      );
      if (differing.length > 0) {
        const [row] = differing;
        wrong.push(
          `${plan.name}: ${differing.length} rows, such as ${selected.has(row?.id as string) ? 'over' : 'under'} ${JSON.stringify(row)}`,
        );
      }
    }
    assert.is(wrong.length, 0, `${wrong.length} disagreements\n${wrong.slice(0, 6).join('\n')}`.slice(0, 6000));
    console.log(
      `  ${answered.size} idioms, ${answers.filter((answer) => 'ids' in answer).length} of ${plans.length} plans`,
    );
    if (process.env['FILTER'] === undefined) assert.ok(answered.size >= LEAST_IDIOMS, `${answered.size} idioms`);
  } finally {
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});

test.run();
