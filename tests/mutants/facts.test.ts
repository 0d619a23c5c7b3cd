import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { FACTS_MUTANTS, type FactsMutant, type FactsSuite, SUITES } from './facts-mutants.js';

/* Each mistake in what decides while facts are unknown makes one of its suites fail. ONLY runs those whose name has it. */

const ONLY = process.env['ONLY'] ?? '';
const PLANT = './tests/support/mutants/plant.mjs';

const test = suite('mutants of facts');

test('there are at least forty mutants, each with a unique name, and each can be planted', () => {
  assert.ok(FACTS_MUTANTS.length >= 40);
  assert.is(new Set(FACTS_MUTANTS.map(({ name }) => name)).size, FACTS_MUTANTS.length);
  const misfits = FACTS_MUTANTS.filter(
    ({ file, find }) => readFileSync(join(ROOT, file), 'utf8').split(find).length !== 2,
  );
  assert.equal(
    misfits.map(({ name }) => name),
    [],
  );
});

test('the suites pass without a mistake', async () => {
  for (const path of new Set(SUITES.flatMap(([, suites]) => suites))) assert.ok(await passes(path), path);
});

test('each mutant is noticed', async () => {
  const survivors: string[] = [];
  for (const mutant of FACTS_MUTANTS.filter(({ name }) => name.includes(ONLY)))
    if (!(await isNoticed(mutant))) survivors.push(`${mutant.file}: ${mutant.name}`);
  assert.equal(survivors, []);
});

async function isNoticed(mutant: FactsMutant): Promise<boolean> {
  const suites = SUITES.find(([file]) => file.test(mutant.file))?.[1] ?? [];
  for (const path of suites) if (!(await passes(path, mutant))) return true;
  return false;
}

function passes(path: FactsSuite, mistake?: FactsMutant): Promise<boolean> {
  const planted = mistake === undefined ? [] : ['--import', PLANT];
  const env = { ...process.env, EFFORT: 'quick', ...(mistake && { MISTAKE: JSON.stringify(mistake) }) };
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', 'tsx', ...planted, path], { cwd: ROOT, env, timeout: 120_000 }, (error) =>
      resolve(error === null),
    );
  });
}

test.run();
