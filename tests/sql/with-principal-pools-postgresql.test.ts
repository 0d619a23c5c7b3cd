import { Pool } from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { NestedPrincipalError, type SessionPrincipal } from '../../packages/rls/enter-session.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { startPooler } from '../support/sql/pgbouncer.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';
import { type PgClient, type PgPool, withPrincipal } from '../../packages/rls/pg.js';
import { type Asked, LIBRARIES, type Library } from './principal-libraries.js';
import { protect } from './row-security.js';

const test = suite('transactions of many principals on few connections');

const OWNERS = 'SELECT DISTINCT owner FROM docs';
const PEOPLE = ['t0', 't1', 't2', 't3', 't4'];

let cluster: Cluster | string;
test.before(async () => {
  cluster = await startCluster();
  if (typeof cluster === 'string') return;
  const { client } = cluster;
  await client.query('CREATE TABLE docs (position integer PRIMARY KEY, owner text NOT NULL)');
  await client.query("INSERT INTO docs SELECT n, 't' || n % 5 FROM generate_series(1, 50) AS n");
  await protect(client, 'docs', {});
  await client.query(
    `CREATE POLICY own ON docs FOR SELECT TO app USING ((SELECT authz.is_set()) AND owner = (SELECT authz.id()));
     CREATE POLICY mend ON docs FOR UPDATE TO app USING ((SELECT authz.is_set()) AND owner = (SELECT authz.id()));
     GRANT UPDATE ON docs TO app; CREATE ROLE login LOGIN; GRANT app TO login`,
  );
});
test.after(async () => {
  if (typeof cluster !== 'string') await cluster.stop();
});

for (const [name, open] of Object.entries(LIBRARIES))
  test(`${name}: no step of a transaction shows rows of another principal`, async () => {
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    const { host, database } = cluster.connection;
    for (const max of [1, 2, 3, 4, 5]) {
      const library = await open({ host, database, max });
      try {
        await ask(library, new Random(SEED + max), rounds(300, 20));
      } finally {
        await library.end();
      }
    }
  });

for (const mode of ['transaction', 'session'])
  test(`PgBouncer in ${mode} mode: no library shows rows of another principal`, async () => {
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    const pooler = await startPooler(cluster, mode);
    if (typeof pooler === 'string') return skip(import.meta.url, pooler);
    try {
      for (const [name, open] of Object.entries(LIBRARIES)) {
        const { host, database } = cluster.connection;
        // In session mode, a connection of a pool keeps one of the two to the server.
        const max = mode === 'session' ? 2 : 5;
        const options = { host, database, port: pooler.port, max, isNaming: mode === 'session' };
        const library = await open(options);
        try {
          await ask(library, new Random(SEED), rounds(200, 20));
        } catch (error) {
          throw new Error(`${name}: ${(error as Error).message}`, { cause: error });
        } finally {
          await library.end();
        }
      }
    } finally {
      await pooler.stop();
    }
  });

test('statements that a pooler in transaction mode does not know fail, and show nobody else', async () => {
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const pooler = await startPooler(cluster, 'transaction');
  if (typeof pooler === 'string') return skip(import.meta.url, pooler);
  // All name their statement alike, and PgBouncer mixes their connections.
  const pools = [1, 2, 3].map((): PgPool<PgClient> & { end(): Promise<void> } => {
    const { host, database } = (cluster as Cluster).connection;
    return new Pool({ host, database, port: pooler.port, user: 'login', max: 3 });
  });
  const counts = { seen: 0, failed: 0 };
  try {
    const random = new Random(SEED);
    const asked = pools.flatMap((pool) =>
      Array.from({ length: rounds(200, 20) }, async () => {
        const id = random.pick(PEOPLE);
        const rows = await withPrincipal(
          pool,
          principalOf(id),
          async (client) => (await client.query({ name: 'owners', text: OWNERS } as never)).rows,
          { role: 'app' },
        ).catch((error: { readonly code?: string }) => {
          if (typeof error.code !== 'string') throw error;
          return undefined;
        });
        if (rows !== undefined) assert.equal(rows, [{ owner: id }]);
        counts[rows === undefined ? 'failed' : 'seen'] += 1;
      }),
    );
    await Promise.all(asked);
    console.log(`  ${JSON.stringify(counts)}`);
    assert.ok(counts.seen > 0);
  } finally {
    for (const pool of pools) await pool.end();
    await pooler.stop();
  }
});

test.run();

function principalOf(id: string): SessionPrincipal {
  return { id, roles: ['user'] };
}

async function ownersOf(asked: Asked): Promise<readonly string[]> {
  return ((await asked.rows(OWNERS)) as readonly { readonly owner: string }[]).map(({ owner }) => owner);
}

class Abort extends Error {}

/** Many transactions at once, whose steps fail, wait, change rows, and nest. */
async function ask(library: Library, random: Random, count: number): Promise<void> {
  const counts = { transactions: 0, failed: 0 };
  await Promise.all(
    Array.from({ length: count }, async () => {
      const id = random.pick(PEOPLE);
      const steps = random.some(STEPS, 0, 4);
      const aborts = random.chance(0.2);
      counts.transactions += 1;
      await library
        .withPrincipal(
          principalOf(id),
          async (asked) => {
            assert.equal(await ownersOf(asked), [id]);
            for (const step of steps) {
              await step(asked, id);
              assert.equal(await ownersOf(asked), [id]);
            }
            if (aborts) throw new Abort();
          },
          { role: 'app' },
        )
        .catch((error: unknown) => {
          if (error instanceof assert.Assertion) throw error;
          counts.failed += 1;
        });
      // Whoever has a connection next is nobody.
      if (random.chance(0.1)) {
        const rows = await library.bare(
          "SELECT coalesce(current_setting('authz.principal', true), '') AS principal, current_user::text AS role",
        );
        assert.equal(rows, [{ principal: '', role: 'login' }]);
      }
    }),
  );
  assert.ok(counts.failed < counts.transactions, JSON.stringify(counts));
  assert.equal(await library.withPrincipal(principalOf('t1'), ownersOf, { role: 'app' }), ['t1']);
}

type Step = (asked: Asked, id: string) => Promise<unknown>;

const STEPS: readonly Step[] = [
  (asked) => asked.rows('SELECT 1 / 0'),
  async (asked) => {
    await asked.rows("SET LOCAL statement_timeout = '5ms'");
    await asked.rows('SELECT pg_sleep(1)');
  },
  // A failure that the application does not pass on: each further statement fails.
  (asked) => asked.rows('SELECT FROM no_such_table').catch(() => undefined),
  async (asked) => {
    await asked.rows('SAVEPOINT one');
    await asked.rows('SELECT 1 / 0').catch(() => undefined);
    await asked.rows('ROLLBACK TO one');
  },
  async (asked, id) => {
    const rows = (await asked.rows('UPDATE docs SET position = position RETURNING owner')) as readonly unknown[];
    // TypeORM returns rows and their number.
    assert.not.match(JSON.stringify(rows), new RegExp(`"owner":"(?!${id}")`));
  },
  (asked) => asked.rows('SELECT pg_sleep(0.002)'),
  async (asked, id) => {
    const other = id === 't1' ? 't2' : 't1';
    await asked.within?.(principalOf(other), async (inner) => assert.equal(await ownersOf(inner), [other]), {
      role: 'app',
      nested: true,
    });
  },
  async (asked, id) => {
    if (asked.within === undefined) return;
    const other = id === 't1' ? 't2' : 't1';
    const error = await asked
      .within(principalOf(other), ownersOf, { role: 'app' })
      .then(String, (reason: unknown) => reason);
    assert.instance(error, NestedPrincipalError);
  },
  async (asked, id) => {
    const other = id === 't1' ? 't2' : 't1';
    const options = { role: 'app', nested: true };
    await asked.within?.(principalOf(other), (inner) => inner.rows('SELECT 1 / 0'), options).catch(() => undefined);
  },
];
