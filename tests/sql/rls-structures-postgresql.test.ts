import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rounds, SEED } from '../support/effort.js';
import { skip } from '../support/skip.js';
import { type Server, startPglite } from '../support/sql/pglite.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import {
  compareStructures,
  fillStructures,
  OF_PRINCIPALS,
  OF_SCOPES,
  STRUCTURES,
  type StructureCounts,
} from './rls-structures.js';
import { protect } from './row-security.js';

const test = suite('row level security of whole sets');

/** Compares policies on a server of its own that has the tables with rows. */
async function compareOn(
  start: () => Promise<Server | string>,
  compare: (
    client: Server['client'],
    rows: Awaited<ReturnType<typeof fillStructures>>,
    counts: StructureCounts,
  ) => Promise<void>,
): Promise<void> {
  const server = await start();
  if (typeof server === 'string') return skip(import.meta.url, server);
  const { client } = server;
  try {
    await client.query(STRUCTURES);
    await protect(client, 'docs', { k: 'text' });
    const rows = await fillStructures(client);
    await compare(client, rows, { asked: 0, refused: 0, cells: 0, seen: 0, reasons: new Map() });
  } finally {
    await server.stop();
  }
}

for (const [name, start, seeds] of [
  ['PostgreSQL', () => startCluster(), rounds(220, 3)],
  ['PGlite', () => startPglite(), rounds(40, 4)],
] as readonly (readonly [string, () => Promise<Server | string>, number])[])
  test(`${name}: scopes, consent, role policies, principal policies, globs and listed roles decide as in a check`, () =>
    compareOn(start, async (client, rows, counts) => {
      const wrong: string[] = [];
      for (let seed = SEED; seed < SEED + seeds; seed += 1)
        wrong.push(...(await compareStructures(client, rows, seed, counts)));
      const { reasons, ...shown } = counts;
      console.log(`  ${JSON.stringify(shown)}`, [...reasons].sort(([, a], [, b]) => b - a).slice(0, 12));
      assert.is(wrong.length, 0, `${wrong.length} wrong\n${wrong.slice(0, 3).join('\n')}`);
      assert.ok(counts.refused < counts.asked * 0.7 && counts.seen > counts.cells / 50);
      // The specification asks for 400 shapes that are compared.
      if (seeds >= 220) assert.ok(counts.asked - counts.refused >= 400);
    }));

test('policies of principals alone decide by the version of the principal', () =>
  compareOn(startCluster, async (client, rows, counts) => {
    for (const documents of OF_PRINCIPALS)
      for (let seed = SEED; seed < SEED + 6; seed += 1)
        assert.equal(await compareStructures(client, rows, seed, counts, undefined, documents), []);
    assert.is(counts.refused, 0);
    assert.ok(counts.seen > 0 && counts.seen < counts.cells / 2);
  }));

test('each scope has the roles of its own policies', () =>
  compareOn(startCluster, async (client, rows, counts) => {
    for (let seed = SEED; seed < SEED + 12; seed += 1)
      assert.equal(await compareStructures(client, rows, seed, counts, undefined, OF_SCOPES), []);
    assert.is(counts.refused, 0);
    assert.ok(counts.seen > 0 && counts.seen < counts.cells);
  }));

test.run();
