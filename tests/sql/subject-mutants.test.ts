import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ROOT } from '../support/compiled.js';
import { EFFORT } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { importWithMistake } from '../support/planted-module.js';
import { SUBJECT_MUTANTS } from './subject-mutants.js';
import { compareSubjects, fillUsers, noCounts, randomUsers, type SubjectTools } from './subjects.js';
import { inMemory } from './subjects-in-memory.js';

const test = suite('mutants of plans of subjects');

const EXPORTS = `
export { subjectPlans } from './packages/analysis/subjects/subject-plans.ts';
export { renderSubjects } from './runtime/residual/sql/subjects.ts';
`;

/** Stores after which a mutant has survived. */
const MOST_STORES = 60;

test('each mutant can be planted', () => {
  const misfits = SUBJECT_MUTANTS.filter(
    ({ file, find }) => readFileSync(join(ROOT, file), 'utf8').split(find).length !== 2,
  ).map(({ name }) => name);
  assert.equal(misfits, []);
});

test('each mistake is noticed', async () => {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache', 'subject-mutants-'));
  const database = await inMemory();
  const users = randomUsers(new Random(1), 60);
  await fillUsers(database, users);
  const chosen = SUBJECT_MUTANTS.filter(
    ({ name }, at) => name.includes(process.env['ONLY'] ?? '') && (EFFORT !== 'quick' || at % 6 === 0),
  );
  const survivors: string[] = [];
  try {
    for (const { name, file, find, replace } of chosen) {
      const tools = (await importWithMistake({ name, find, replace }, file, EXPORTS, folder)) as SubjectTools;
      if (!(await isNoticed(tools, MOST_STORES))) survivors.push(name);
    }
    const none = { name: 'none', find: '', replace: '' };
    const own = (await importWithMistake(none, 'runtime/residual/sql/subjects.ts', EXPORTS, folder)) as SubjectTools;
    assert.not.ok(await isNoticed(own, 3));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  assert.equal(survivors, []);

  async function isNoticed(tools: SubjectTools, stores: number): Promise<boolean> {
    for (let seed = 1; seed <= stores; seed += 1)
      if ((await compareSubjects(database, users, seed, { resources: 8, actions: 4 }, noCounts(), tools)).length > 0)
        return true;
    return false;
  }
});

test.run();
