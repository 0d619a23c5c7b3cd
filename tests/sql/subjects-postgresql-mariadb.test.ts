import type { RowDataPacket } from 'mysql2/promise';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { renderSubjects } from '../../runtime/residual/sql/index.js';
import { subjectPlans } from '../../packages/analysis/subjects/subject-plans.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { startMariadb } from '../support/sql/mariadb-server.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { compareSubjects, fillUsers, noCounts, randomUsers, type UserDatabase } from './subjects.js';

const test = suite('who may, in PostgreSQL and MariaDB');

test('PostgreSQL selects exactly the users that check allows', async () => {
  const server = await startCluster();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { client } = server;
  try {
    await compare({
      dialect: 'postgresql',
      hasLists: true,
      run: (statement, parameters = []) => client.query(statement, [...parameters]),
      async select(query, parameters) {
        const { rows } = await client.query(query, [...parameters]);
        return new Set((rows as readonly { readonly position: number }[]).map(({ position }) => position));
      },
    });
  } finally {
    await server.stop();
  }
});

test('MariaDB selects exactly the users that check allows, under a collation that ignores case', async () => {
  const server = await startMariadb();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { connection } = server;
  try {
    await compare({
      dialect: 'mysql',
      hasLists: false,
      run: (statement, parameters = []) => connection.execute(statement, [...parameters]),
      async select(query, parameters) {
        const [rows] = await connection.execute<RowDataPacket[]>(query, [...parameters] as string[]);
        return new Set(rows.map(({ position }) => position as number));
      },
    });
  } finally {
    await server.stop();
  }
});

async function compare(database: UserDatabase): Promise<void> {
  const users = randomUsers(new Random(SEED), 60);
  await fillUsers(database, users);
  const counts = noCounts();
  const wrong: string[] = [];
  const stores = rounds(40, 4);
  for (let seed = SEED; seed < SEED + stores; seed += 1)
    wrong.push(
      ...(await compareSubjects(database, users, seed, { resources: 6, actions: 4 }, counts, {
        subjectPlans,
        renderSubjects,
      })),
    );
  const { reasons, ...shown } = counts;
  console.log(`  ${stores} stores: ${JSON.stringify(shown)}`, [...reasons].sort(([, a], [, b]) => b - a).slice(0, 6));
  assert.is(wrong.length, 0, `${wrong.length} wrong\n${wrong.slice(0, 3).join('\n')}`);
  assert.ok(counts.refused < counts.asked / 2 && counts.selected > counts.cells / 50);
}

test.run();
