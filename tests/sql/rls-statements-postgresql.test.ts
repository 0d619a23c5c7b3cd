import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { type Server, startPglite } from '../support/sql/pglite.js';
import { startCluster } from '../support/sql/postgresql-cluster.js';
import { attack, NO_COUNTS } from './rls-attack.js';
import { SURROUNDINGS } from './rls-statements.js';

const test = suite('statements under row level security');

for (const [name, start, seeds] of [
  ['PostgreSQL', () => startCluster(), rounds(120, 8)],
  ['PGlite', () => startPglite(), rounds(40, 3)],
] as readonly (readonly [string, () => Promise<Server | string>, number])[])
  test(`${name}: no statement reads, changes or writes a row with which check denies it`, async () => {
    const server = await start();
    if (typeof server === 'string') return skip(import.meta.url, server);
    const { client } = server;
    try {
      await client.query(SURROUNDINGS);
      const [{ version } = { version: 0 }] = (
        await client.query("SELECT current_setting('server_version_num')::integer / 10000 AS version", [])
      ).rows as readonly { readonly version: number }[];
      const counts = { ...NO_COUNTS };
      const wrong: string[] = [];
      for (let seed = SEED; seed < SEED + seeds; seed += 1)
        wrong.push(...(await attack(client, new Random(seed), version, counts)).map((each) => `seed ${seed}: ${each}`));
      console.log(`  ${name} ${version}: ${JSON.stringify(counts)}`);
      assert.is(wrong.length, 0, `${wrong.length} wrong\n${wrong.slice(0, 5).join('\n')}`);
      assert.ok(
        counts.denied < counts.statements / 2 && counts.read > counts.statements && counts.changed > counts.statements,
      );
    } finally {
      await server.stop();
    }
  });

test.run();
