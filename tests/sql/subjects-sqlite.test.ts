import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderSubjects } from '../../runtime/residual/sql/index.js';
import { subjectPlans } from '../../packages/analysis/subjects/subject-plans.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { compareSubjects, fillUsers, noCounts, randomUsers } from './subjects.js';
import { inMemory } from './subjects-in-memory.js';

const test = suite('who may, in SQLite');

test('SQLite selects exactly the users that check allows', async () => {
  const database = await inMemory();
  const users = randomUsers(new Random(SEED), 60);
  await fillUsers(database, users);
  const counts = noCounts();
  const wrong: string[] = [];
  const stores = rounds(40, 4);
  for (let seed = SEED; seed < SEED + stores; seed += 1)
    wrong.push(
      ...(await compareSubjects(database, users, seed, { resources: 8, actions: 4 }, counts, {
        subjectPlans,
        renderSubjects,
      })),
    );
  const { reasons, ...shown } = counts;
  console.log(`  ${stores} stores: ${JSON.stringify(shown)}`, [...reasons].sort(([, a], [, b]) => b - a).slice(0, 12));
  assert.is(wrong.length, 0, `${wrong.length} wrong\n${wrong.slice(0, 3).join('\n')}`);
  assert.ok(counts.refused < counts.asked / 2 && counts.selected > counts.cells / 50);
});

test.run();
