import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rounds, SEED } from '../support/effort.js';
import { skip } from '../support/skip.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { type ByIdTally, compareById, DECIDED, type QueriedDatabase } from './decide-by-id.js';
import { openCapableSqlite } from './capable-sqlite.js';
import { createTypedTable, fillTypedTable } from './typed-database.js';

/*
 * Decisions about rows of a database by their ids, over hostile rows of every column type: those by the columns that a
 * source reads, and those by columns of capabilities, are what check decides about the row. One statement reads all rows.
 */

const test = suite('decisions by id');
const EXTENT = { seed: SEED, stores: rounds(200, 8), rows: 64 };

function settle(dialect: string, { wrong, ...tally }: ByIdTally): void {
  console.log(`  ${dialect}: ${JSON.stringify(tally)}, ${wrong.length} wrong`);
  assert.is(wrong.length, 0, wrong.slice(0, 5).join('\n'));
  assert.is(tally.cells, tally.stores * EXTENT.rows * DECIDED.length);
  assert.ok(tally.statements <= tally.stores && tally.statements > tally.stores / 2, 'one statement reads all rows');
  assert.ok(tally.allowed > tally.cells / 20, 'the policies allow too little');
  assert.ok(tally.unknown < tally.cells / 4, 'too little is decided');
}

test('in SQLite, rows are decided as check decides them', async () => {
  const { database, close } = await openCapableSqlite();
  settle('sqlite', await compareById(database, EXTENT));
  close();
});

/** Faults of a source: what it does to the rows that it read. */
const FAULTS: { readonly [name: string]: (row: object) => object } = {
  'columns that are NULL': (row) => changed(row, (name, value) => (name === 'position' ? value : null)),
  'flags that are false': (row) => changed(row, (name, value) => (name === 'flag' && value !== null ? 0 : value)),
  'numbers plus one': (row) =>
    changed(row, (name, value) => (name === 'n' && value !== null ? Number(value) + 1 : value)),
  'strings without case': (row) =>
    changed(row, (name, value) => (name === 'a' && typeof value === 'string' ? value.toUpperCase() : value)),
};

function changed(row: object, change: (name: string, value: unknown) => unknown): object {
  return Object.fromEntries(Object.entries(row).map(([name, value]) => [name, change(name, value)]));
}

test('rows that a source reads wrongly are found', async () => {
  const { database, close } = await openCapableSqlite();
  const alive: string[] = [];
  for (const [name, change] of Object.entries(FAULTS)) {
    let isFound = false;
    for (let seed = SEED; !isFound && seed < SEED + 60; seed += 1)
      isFound = (await compareById(database, { seed, stores: 1, rows: 64 }, change)).wrong.length > 0;
    if (!isFound) alive.push(name);
  }
  close();
  assert.equal(alive, []);
});

test('in PostgreSQL, rows are decided as check decides them', async () => {
  const cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  try {
    await createTypedTable(client);
    const database: QueriedDatabase = {
      dialect: 'postgresql',
      fill: (rows) => fillTypedTable(client, rows),
      query: async (text, parameters) => (await client.query(text, [...parameters])).rows as object[],
      async columns(text, parameters) {
        const { rows } = await client.query(`SELECT position AS place, ${text} FROM things`, [...parameters]);
        return new Map(rows.map(({ place, ...columns }) => [place as number, Object.values(columns)] as const));
      },
    };
    settle('postgresql', await compareById(database, EXTENT));
  } finally {
    await cluster.stop();
  }
});

test.run();
