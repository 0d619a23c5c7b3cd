import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emitStores } from './emit-stores.js';
import { MUTANTS } from './mutants.js';
import { hazards } from './stores.js';
import { emissions, misfit, type Mutant, probed, probeOf, type Verdict, workFolder } from './plant.js';

/** ONLY runs the mutants whose name contains it; RECORD=1 writes result.md. */
const ONLY = process.env['ONLY'] ?? '';
const RESULT = join(import.meta.dirname, 'result.md');
/** The number of programs that run in parallel. */
const HANDS = 2;

const test = suite('mutants of the planner');
const folder = workFolder();
const stores = emitStores();
const count = hazards().length;
const probe = probeOf(stores, count);
const mutants = MUTANTS.filter(({ name }) => name.includes(ONLY));

test('there are at least thirty mutants, each with a unique name', () => {
  assert.ok(MUTANTS.length >= 30);
  assert.is(new Set(MUTANTS.map(({ name }) => name)).size, MUTANTS.length);
});

test('the unchanged planner passes the probe, and the emitter emits the same in its own process', async () => {
  assert.is(await probed(folder, await probe), undefined);
  assert.equal(await emissions(folder), stores);
});

test('each mutant is caught', async () => {
  const verdicts = new Map<Mutant, Verdict>();
  const due = [...mutants];
  const work = async (): Promise<void> => {
    for (let mutant = due.shift(); mutant !== undefined; mutant = due.shift())
      verdicts.set(mutant, await verdictOf(mutant));
  };
  await Promise.all(Array.from({ length: HANDS }, work));
  const report = reportOf(verdicts);
  console.log(`\n${report}`);
  if (process.env['RECORD'] === '1' && ONLY === '') writeFileSync(RESULT, report);
  const alive = mutants.filter((mutant) => verdicts.get(mutant) === undefined).map(({ name }) => name);
  assert.equal(alive, []);
});

test('result.md lists these mutants', () => {
  const recorded = readFileSync(RESULT, 'utf8');
  assert.equal(
    MUTANTS.filter(({ name }) => !recorded.includes(`| ${name} |`)),
    [],
    'record it anew with RECORD=1',
  );
  assert.match(recorded, `Caught ${MUTANTS.length} of ${MUTANTS.length}`);
});

test.run();

async function verdictOf(mutant: Mutant): Promise<Verdict> {
  if (misfit(mutant) !== undefined) return undefined;
  return probed(
    folder,
    mutant.file.startsWith('compiler/') ? await probeOf(await emissions(folder, mutant), count) : await probe,
    mutant,
  );
}

function reportOf(verdicts: ReadonlyMap<Mutant, Verdict>): string {
  const caught = mutants.filter((mutant) => verdicts.get(mutant) !== undefined).length;
  const rows = mutants.map((mutant) => `| ${mutant.name} | ${mutant.file} | ${verdicts.get(mutant)?.by ?? 'none'} |`);
  return [
    '# Mutants of the planner',
    '',
    `Caught ${caught} of ${mutants.length}. Each is one mistake planted in the planner (mutants.ts), against which plans and check are compared row by row (probe.ts);`,
    'the probes run in the order typed conditions, combinations, random stores, hazardous conditions, and the first that notices is named.',
    '',
    '| mistake | file | noticed by |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}
