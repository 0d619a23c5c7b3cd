import { suite } from 'uvu';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { compareScalars } from './scalar-comparison.js';
import { compareHazards, compareTyped, type TypedDatabase } from './typed-comparison.js';
import { createTypedTable, fillTypedTable } from './typed-database.js';
import { skip } from '../support/skip.js';
import { SEED, rounds } from '../support/effort.js';

const test = suite('SQL filters in PostgreSQL');

test('PostgreSQL selects exactly the rows that check allows, over typed columns', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') {
    skip(import.meta.url, cluster);
    return;
  }
  const { client } = cluster;
  try {
    await createTypedTable(client);
    const typed: TypedDatabase = {
      dialect: 'postgresql',
      fill: (rows) => fillTypedTable(client, rows),
      async select({ text, parameters }) {
        const { rows } = await client.query(`SELECT position FROM things WHERE ${text}`, parameters);
        return new Set(rows.map(({ position }) => position as number));
      },
    };
    await compareHazards(typed, 200);
    await compareScalars({
      dialect: 'postgresql',
      run: (statement) => client.query(statement),
      async select({ text, parameters }) {
        const { rows } = await client.query(`SELECT position FROM scalars WHERE ${text}`, parameters);
        return new Set(rows.map(({ position }) => position as number));
      },
    });
    await compareTyped(typed, {
      seed: SEED,
      stores: rounds(12),
      kinds: 6,
      requests: 2,
      rows: 64,
    });
  } finally {
    await cluster.stop();
  }
});

test.run();
