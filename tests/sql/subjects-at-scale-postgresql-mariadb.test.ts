import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EFFORT, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { randomUsers } from './subjects.js';
import { compareAtScale, type ScaleCounts } from './subjects-at-scale.js';
import { openUserDatabases } from './subject-databases.js';

const test = suite('who may, at scale');

/**
 * A campaign compares each condition that 1,000 resources of a store have with the checks of 10,000 users, and each resource with
 * those of 300 users. All pairs would be 12 billion checks. Campaigns from the seeds 1, 21, … and 181 have 200 stores.
 */
const SIZES = {
  quick: { stores: 4, users: 300, resources: 5, every: 1 },
  full: { stores: 12, users: 1_000, resources: 40, every: 10 },
  campaign: { stores: 20, users: 10_000, resources: 1_000, every: 33 },
}[EFFORT];

test('SQLite, PostgreSQL and MariaDB select exactly the users that check allows, for all actions', async () => {
  const users = randomUsers(new Random(SEED), SIZES.users);
  const { databases, missing, stop } = await openUserDatabases(users);
  for (const reason of missing) skip(import.meta.url, reason);
  try {
    const counts: ScaleCounts = { asked: 0, refused: 0, cells: 0, selected: 0, queries: 0 };
    const wrong: string[] = [];
    for (let seed = SEED; seed < SEED + SIZES.stores; seed += 1)
      wrong.push(...(await compareAtScale(databases, users, seed, SIZES, counts)));
    console.log(`  ${SIZES.stores} stores: ${JSON.stringify(counts)}`);
    assert.is(wrong.length, 0, `${wrong.length} wrong\n${wrong.slice(0, 3).join('\n')}`);
    assert.ok(counts.refused < counts.asked / 4 && counts.selected > counts.cells / 50);
  } finally {
    await stop();
  }
});

test.run();
