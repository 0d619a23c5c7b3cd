import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import { sql as drizzleSql } from 'drizzle-orm';
import { Pool } from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withPrincipal as withDrizzle } from '../../packages/rls/drizzle.js';
import { ExemptRoleError, NestedPrincipalError } from '../../packages/rls/enter-session.js';
import { rounds } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';
import { LIBRARIES, type Library } from './principal-libraries.js';
import { protect } from './row-security.js';

const test = suite('transactions of a principal');

const QUERY = 'SELECT DISTINCT owner FROM docs';
const TENANTS = ['t0', 't1', 't2', 't3', 't4'];

class Abort extends Error {}

let cluster: Cluster | string;
test.before(async () => {
  cluster = await startCluster();
  if (typeof cluster === 'string') return;
  const { client } = cluster;
  await client.query('CREATE TABLE docs (position integer PRIMARY KEY, owner text NOT NULL)');
  await client.query("INSERT INTO docs SELECT n, 't' || n % 5 FROM generate_series(1, 50) AS n");
  await protect(client, 'docs', {});
  await client.query(
    'CREATE POLICY own ON docs FOR SELECT TO app USING ((SELECT authz.is_set()) AND owner = (SELECT authz.id())); CREATE ROLE login LOGIN; GRANT app TO login; CREATE ROLE boss BYPASSRLS; GRANT boss TO login; GRANT SELECT ON docs TO boss',
  );
});
test.after(async () => {
  if (typeof cluster !== 'string') await cluster.stop();
});

for (const [name, open] of Object.entries(LIBRARIES)) {
  test(`${name}: no transaction shows rows of another principal, whichever of them fail`, async () => {
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    const { host, database } = cluster.connection;
    const library = await open({ host, database, max: 4 });
    try {
      const random = new Random(1);
      const asked = Array.from({ length: rounds(1_000) }, async () => {
        const id = random.pick(TENANTS);
        const fails = random.chance(0.3);
        const seen = await ask(library, id, 'app', fails).catch((error: unknown) => {
          if (fails && error instanceof Abort) return 'failed';
          throw error;
        });
        assert.equal(seen, fails ? 'failed' : [id]);
      });
      await Promise.all(asked);
      assert.equal(await ask(library, 'nobody', 'app'), []);
      // Outside of a transaction the connection is as it was: its role may not read the table.
      for (let i = 0; i < 4; i += 1)
        assert.match(await library.bare(QUERY).then((rows) => String(rows.length), String), /permission denied|^0$/);
    } finally {
      await library.end();
    }
  });

  test(`${name}: a role that policies do not apply to is refused`, async () => {
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    const { host, database } = cluster.connection;
    const library = await open({ host, database, max: 4 });
    try {
      const error = await ask(library, 't1', 'boss').catch((reason: unknown) => reason);
      assert.instance(error, ExemptRoleError);
      assert.equal(await ask(library, 't1', 'app'), ['t1']);
    } finally {
      await library.end();
    }
  });
}

const [ONE, OTHER] = [
  { id: 't1', roles: ['user'] },
  { id: 't2', roles: ['user'] },
] as const;

type Transaction = Parameters<Parameters<NodePgDatabase['transaction']>[0]>[0];

/** A test in a transaction of one principal, over a single connection, which belongs to nobody afterwards. */
function testWithin(name: string, work: (tx: Transaction) => Promise<void>): void {
  test(name, async () => {
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    const pool = new Pool({ ...cluster.connection, user: 'login', max: 1 });
    const db = drizzle({ client: pool });
    try {
      await withDrizzle(db, ONE, work, { role: 'app' });
      assert.equal((await db.execute(drizzleSql.raw(QUERY))).rows, []);
    } finally {
      await pool.end();
    }
  });
}

async function listRows(tx: Pick<Transaction, 'execute'>): Promise<unknown> {
  return (await tx.execute(drizzleSql.raw(QUERY))).rows;
}

testWithin('a transaction within one of another principal is refused, and within its own it is not', async (tx) => {
  const rows = (): Promise<unknown> => listRows(tx);
  assert.equal(await withDrizzle(tx, ONE, rows, { role: 'app' }), [{ owner: 't1' }]);
  const error = await withDrizzle(tx, OTHER, rows, { role: 'app' }).catch((reason: unknown) => reason);
  assert.instance(error, NestedPrincipalError);
  assert.equal(await rows(), [{ owner: 't1' }]);
});

testWithin(
  'with `nested`, a transaction of another principal shows its rows, and the outer one its own again',
  async (tx) => {
    for (const fails of [false, true]) {
      const asked = withDrizzle(
        tx,
        OTHER,
        async (inner) => {
          assert.equal(await listRows(inner), [{ owner: 't2' }]);
          if (fails) throw new Abort();
        },
        { role: 'app', nested: true },
      );
      assert.is(await asked.catch((reason: unknown) => reason instanceof Abort), fails ? true : undefined);
      assert.equal(await listRows(tx), [{ owner: 't1' }]);
    }
  },
);

test.run();

/** The owners that a principal sees. The transaction fails after it has asked if it should. */
function ask(library: Library, id: string, role: string, fails = false): Promise<readonly string[]> {
  return library.withPrincipal(
    { id, roles: ['user'] },
    async (asked) => {
      const rows = (await asked.rows(QUERY)) as readonly { readonly owner: string }[];
      if (fails) throw new Abort('aborted');
      return rows.map(({ owner }) => owner);
    },
    { role },
  );
}
