import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import type { protectTables } from '../../packages/analysis/rls/protect.js';
import type { securityScript } from '../../packages/analysis/rls/script.js';
import { ROOT } from '../support/compiled.js';
import { EFFORT, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { importWithMistake } from '../support/planted-module.js';
import { skip } from '../support/skip.js';
import type { SqlConnection } from '../support/sql/pglite.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { attack, type Declared, NO_COUNTS, securityScriptOf } from './rls-attack.js';
import { SCRIPT_MUTANTS, type ScriptMutant, SOURCE_MUTANTS, type SourceMutant } from './rls-mutants.js';
import { SURROUNDINGS } from './rls-statements.js';
import {
  compareStructures,
  type ConditionTools,
  fillStructures,
  OF_PRINCIPALS,
  OF_SCOPES,
  STRUCTURES,
} from './rls-structures.js';
import { protect } from './row-security.js';

const test = suite('mutants of row level security');

/** While someone waits, every sixth. */
const chosen = <Mutant extends { readonly name: string }>(mutants: readonly Mutant[]): readonly Mutant[] =>
  mutants.filter(
    ({ name }, at) => new RegExp(process.env['ONLY'] ?? '').test(name) && (EFFORT !== 'quick' || at % 6 === 0),
  );

/** Rounds of statements, and of whole sets, after which a mutant has survived. */
const ROUNDS = { attack: 12, structures: 90 };

test('each mutant can be planted', () => {
  assert.ok(SCRIPT_MUTANTS.length + SOURCE_MUTANTS.length >= 40);
  const misfits = SOURCE_MUTANTS.filter(({ file, find }) => sourceOf(file).split(find).length !== 2);
  assert.equal(misfits, []);
});

test('each mistake in a script and in what writes it is noticed', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const client: SqlConnection = cluster.client;
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'rls-mutants-'));
  try {
    await client.query(`CREATE DATABASE structures`);
    await client.query(SURROUNDINGS);
    const structures = await anotherDatabase(cluster.connection.host);
    try {
      const survivors: string[] = [];
      for (const mutant of chosen(SCRIPT_MUTANTS))
        if (
          !(await isNoticed(ROUNDS.attack, (seed) =>
            attackOf(client, seed, (declared) => scriptWith(mutant, declared)),
          ))
        )
          survivors.push(mutant.name);
      for (const mutant of chosen(SOURCE_MUTANTS)) {
        const tools = await planted(mutant, folder);
        const noticed =
          (await isNoticed(ROUNDS.structures, (seed) => structures.compare(seed, tools))) ||
          (await isNoticed(ROUNDS.attack, (seed) => attackOf(client, seed, (declared) => scriptBy(tools, declared))));
        if (!noticed) survivors.push(mutant.name);
      }
      assert.equal(survivors, []);
    } finally {
      await structures.end();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
    await cluster.stop();
  }
});

test.run();

/** Whether one of several rounds finds a difference, or fails. */
async function isNoticed(rounds: number, round: (seed: number) => Promise<readonly string[]>): Promise<boolean> {
  for (let seed = SEED; seed < SEED + rounds; seed += 1) {
    const wrong = await round(seed).catch((error: unknown) => [String(error)]);
    if (wrong.length > 0) return true;
  }
  return false;
}

async function attackOf(
  client: SqlConnection,
  seed: number,
  write: (declared: Declared) => string,
): Promise<readonly string[]> {
  // The script of the mutant before may have granted more than the next one takes back.
  await client.query('REVOKE ALL ON SCHEMA authz FROM app').catch(() => undefined);
  await client.query('GRANT ALL ON docs TO app, PUBLIC');
  return attack(client, new Random(seed), 15, { ...NO_COUNTS }, write);
}

function scriptWith({ find, replace }: ScriptMutant, declared: Declared): string {
  return securityScriptOf(declared).replace(find, replace);
}

type Planted = ConditionTools & {
  readonly protectTables: typeof protectTables;
  readonly securityScript: typeof securityScript;
};

function scriptBy(tools: Planted, { program, file }: Declared): string {
  const report = new Diagnostics();
  const protection = tools.protectTables(program, {}, file, report);
  if (protection === undefined) throw new Error(report.sorted()[0]?.message);
  return tools.securityScript(protection);
}

function sourceOf(file: string): string {
  return readFileSync(join(ROOT, 'packages/analysis', `${file}.ts`), 'utf8');
}

/** What writes conditions and scripts, with a mistake. */
async function planted(mutant: SourceMutant, folder: string): Promise<Planted> {
  const exports = `export { Decisions } from './packages/analysis/decision/decisions.ts';
export { NotInDatabase } from './packages/analysis/rls/decision.ts';
export { rowCondition, SharedParts } from './packages/analysis/rls/policy.ts';
export { protectTables } from './packages/analysis/rls/protect.ts';
export { securityScript } from './packages/analysis/rls/script.ts';`;
  return (await importWithMistake(mutant, `packages/analysis/${mutant.file}.ts`, exports, folder)) as Planted;
}

/** A database for policies of whole sets. */
async function anotherDatabase(host: string): Promise<{
  compare(seed: number, tools: ConditionTools): Promise<readonly string[]>;
  end(): Promise<void>;
}> {
  const { Client } = await import('pg');
  const client = new Client({ host, user: 'authz', database: 'structures' });
  await client.connect();
  await client.query(STRUCTURES);
  await protect(client, 'docs', {});
  const rows = await fillStructures(client);
  const counts = { asked: 0, refused: 0, cells: 0, seen: 0, reasons: new Map<string, number>() };
  return {
    // Four of eight rounds have sets about principals alone and about scopes, the others random ones.
    compare: (seed, tools) =>
      compareStructures(client, rows, seed, counts, tools, [...OF_PRINCIPALS, OF_SCOPES][seed % 8]),
    end: () => client.end(),
  };
}
