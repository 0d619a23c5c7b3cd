import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import initSqlJs from 'sql.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderSql } from '../../runtime/residual/sql/index.js';
import { ROOT } from '../support/compiled.js';
import { SEED } from '../support/effort.js';
import { importWithMistake } from '../support/planted-module.js';
import { planConditions } from '../support/plan/condition-engine.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { type ClosureMutant, FILE, MUTANTS } from './closure-mutants.js';
import { CHAIN_CONDITIONS, chain, documentsInFolders, PER_ROW, randomForest, SETS } from './closures.js';
import { compareRelated, type RelatedDatabase } from './related-comparison.js';
import { inMariadb, inPostgresql, inSqlite } from './related-databases.js';

type Render = typeof renderSql;

const SOURCE = readFileSync(join(ROOT, FILE), 'utf8');

const test = suite('mutants of closures');

test('each mutant can be planted', () => {
  assert.ok(MUTANTS.length >= 20);
  const misfits = MUTANTS.filter(({ find }) => SOURCE.split(find).length !== 2).map(({ name }) => name);
  assert.equal(misfits, []);
});

test('each mutant is noticed', async () => {
  const [cluster, server] = [await startCluster(), await startMariadb()];
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  if (typeof server === 'string') return skip(import.meta.url, server);
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'closure-mutants-'));
  const { Database } = await initSqlJs();
  try {
    await cluster.client.query('SET jit = off');
    await cluster.client.query("SET statement_timeout = '60s'");
    await server.connection.query('SET max_statement_time = 60');
    const checks: { readonly [by in ClosureMutant['by']]: (render: Render) => Promise<void> } = {
      sqlite: async (render) => {
        const database = new Database();
        for (let store = 0; store < 16; store += 1)
          for (const closures of ['set', 'row'] as const) await compare(inSqlite(database), store, render, closures);
        database.close();
      },
      postgresql: async (render) => {
        await throughCycle(inPostgresql(cluster.client), render);
      },
      mysql: async (render) => {
        for (let store = 0; store < 6; store += 1) await compare(inMariadb(server.connection), store, render);
        await notCutOff(inMariadb(server.connection), render);
      },
      plan: (render) => plans(render),
    };
    for (const check of Object.values(checks)) await check(renderSql);
    const survivors: string[] = [];
    for (const mutant of MUTANTS.filter(({ name }) => name.includes(process.env['ONLY'] ?? ''))) {
      const isNoticed = await checks[mutant.by](await planted(mutant, folder)).then(
        () => false,
        () => true,
      );
      if (!isNoticed) survivors.push(mutant.name);
    }
    assert.equal(survivors, []);
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await cluster.stop();
    await server.stop();
  }
});

test.run();

/** The renderer with a mutant. */
async function planted(mutant: ClosureMutant, folder: string): Promise<Render> {
  const renderer = "export { renderSql } from './runtime/residual/sql/index.ts';";
  const module = await importWithMistake(mutant, FILE, renderer, folder);
  return (module as { readonly renderSql: Render }).renderSql;
}

/** One store at a time, so that the first difference ends it. */
async function compare(
  database: RelatedDatabase,
  store: number,
  render: Render,
  closures: 'set' | 'row' = 'set',
): Promise<void> {
  const atoms = [...SETS, ...(database.dialect === 'mysql' ? [] : PER_ROW)];
  const randomCondition = (): string => atoms[0] as string;
  const related = { table: documentsInFolders(), atoms, randomStore: randomForest, randomCondition };
  await compareRelated(
    database,
    { seed: SEED + store, stores: 1, size: 24, conditions: 1 },
    { ...related, options: { closures }, render },
  );
}

/** The first folder of the chain is in the last one. */
async function throughCycle(database: RelatedDatabase, render: Render): Promise<void> {
  await database.fill(chain(50));
  const conditions = [...CHAIN_CONDITIONS, 'size(R.attr.ancestors) == 50'];
  const answers: number[][] = [];
  for (const filter of await planConditions('document', conditions)) {
    const condition = render(filter, documentsInFolders(), { dialect: 'postgresql' });
    assert.ok(condition.kind === 'sql');
    answers.push([...(await database.select(condition))]);
  }
  assert.equal(answers, [[0], [1], [0]]);
}

/** MariaDB follows 1,000 steps: a longer chain is no shorter one. */
async function notCutOff(database: RelatedDatabase, render: Render): Promise<void> {
  await database.fill(chain(2_000));
  for (const filter of await planConditions('document', CHAIN_CONDITIONS)) {
    const condition = render(filter, documentsInFolders(), { dialect: 'mysql' });
    assert.ok(condition.kind === 'sql');
    const answer = await database.select(condition).catch(() => undefined);
    assert.is(answer, undefined);
  }
}

/** What is found for each row, and the forms that PostgreSQL plans well, which tests/sql/closure-plans.test.ts compares with SQL by hand. */
async function plans(render: Render): Promise<void> {
  const [wanted, excluded, ...perRow] = await planConditions('document', [
    ...CHAIN_CONDITIONS,
    'R.attr.ancestors.exists(f, f.name == R.attr.title)',
    'R.attr.tags.exists(t, R.attr.ancestors.exists(f, f.name == t))',
    'R.attr.labels.exists(t, R.attr.ancestors.exists(f, f.name == t))',
  ]);
  const table = documentsInFolders();
  const withLabels: typeof table = {
    ...table,
    columns: { ...table.columns, labels: { column: 'labels', type: 'list' } },
  };
  for (const filter of perRow) {
    const condition = render(filter, withLabels, { dialect: 'postgresql' });
    assert.equal(condition.kind === 'sql' && condition.closuresPerRow, ['folders']);
  }
  const textOf = (filter: typeof wanted, closures: 'set' | 'row' = 'set'): string => {
    const condition = render(filter as never, documentsInFolders(), { dialect: 'postgresql', closures });
    assert.ok(condition.kind === 'sql');
    return condition.text;
  };
  assert.match(textOf(wanted), /= ANY \(ARRAY\(WITH RECURSIVE .* SELECT DISTINCT k1 FROM /);
  assert.match(textOf(excluded), / IN \(WITH RECURSIVE .* SELECT DISTINCT k1 FROM /);
  assert.match(textOf(wanted, 'row'), /^EXISTS /);
}
