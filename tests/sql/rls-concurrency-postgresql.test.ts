import { Pool } from 'pg';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withPrincipal } from '../../packages/rls/pg.js';
import type { SessionPrincipal } from '../../packages/rls/session-value.js';
import { Diagnostics } from '../../compiler/diagnostics/diagnostic.js';
import { Source } from '../../compiler/diagnostics/source.js';
import { fold } from '../../compiler/optimise/index.js';
import { readTables, type TableFile } from '../../compiler/tables/read-tables.js';
import { protectTables } from '../../packages/analysis/rls/protect.js';
import { securityScript } from '../../packages/analysis/rls/script.js';
import { compileTexts } from '../support/compiled.js';
import { rounds, SEED } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';

const test = suite('row level security of many clients');

const TABLES = `tables:
  doc:
    name: public.docs
    columns: {owner: {column: owner, type: text, nulls: never}, n: {column: n, type: number, nulls: never}}
    rls: {select: view, insert: edit, update: edit, delete: edit, to: [app]}
`;

/** Two versions of the policies. Both allow a principal only rows of its own. */
const [BEFORE, AFTER] = ['R.attr.owner == P.id', 'R.attr.owner == P.id && R.attr.n >= 0.0'].map((expr) => {
  const { lowered } = compileTexts({
    'doc.yaml': JSON.stringify({
      apiVersion: 'api.authz.dev/v1',
      resourcePolicy: {
        resource: 'doc',
        version: 'default',
        rules: [
          { actions: ['view', 'edit'], effect: 'EFFECT_ALLOW', roles: ['user'], condition: { match: { expr } } },
          { actions: ['view'], effect: 'EFFECT_ALLOW', roles: ['auditor'] },
        ],
      },
    }),
  });
  assert.ok(lowered !== undefined);
  const file = readTables(new Source('tables.yaml', TABLES)) as TableFile;
  const protection = protectTables(fold(lowered), {}, file, new Diagnostics());
  assert.ok(protection !== undefined);
  return securityScript(protection);
}) as [string, string];

let cluster: Cluster | string;
test.before(async () => {
  cluster = await startCluster();
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const { client } = cluster;
  await client.query(
    'CREATE ROLE app; CREATE ROLE login LOGIN; GRANT app TO login; CREATE TABLE docs (id integer PRIMARY KEY, owner text NOT NULL, n double precision NOT NULL)',
  );
  await client.query("INSERT INTO docs SELECT n, 't' || n % 5, n FROM generate_series(1, 50) AS n");
  await client.query(BEFORE);
});
test.after(() => (typeof cluster === 'string' ? undefined : cluster.stop()));

function principalOf(tenant: number): SessionPrincipal {
  return { id: `t${tenant}`, roles: ['user'] };
}

/** A connection within a transaction. */
interface Asking {
  query(statement: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** The owners of all rows that a connection shows. */
async function ownersOf(client: Asking): Promise<readonly string[]> {
  const { rows } = await client.query('SELECT DISTINCT owner FROM docs ORDER BY owner');
  return (rows as readonly { readonly owner: string }[]).map(({ owner }) => owner);
}

test('while a script is applied again and again, no statement reaches rows of others', async () => {
  if (typeof cluster === 'string') return;
  const { client, connection } = cluster;
  const pool = new Pool({ ...connection, user: 'login', max: 5 });
  try {
    let isApplied = false;
    const counts = { read: 0, changed: 0, refused: 0 };
    const workers = Array.from({ length: 5 }, async (_, tenant) => {
      while (!isApplied) {
        const writes = (counts.read + tenant) % 3 === 0;
        try {
          const reached = await withPrincipal(
            pool,
            principalOf(tenant),
            async (transaction) => {
              if (!writes) return ownersOf(transaction);
              const { rows } = await transaction.query('UPDATE docs SET n = n RETURNING owner');
              return [...new Set((rows as readonly { readonly owner: string }[]).map(({ owner }) => owner))];
            },
            { role: 'app' },
          );
          assert.equal(reached, [`t${tenant}`]);
          counts[writes ? 'changed' : 'read'] += 1;
        } catch (error) {
          // A transaction that began before a script, and reads the schema after it.
          const { code } = error as { readonly code?: string };
          if (code === undefined || !['40P01', '42501', '42883', 'XX000', '55P03'].includes(code)) throw error;
          counts.refused += 1;
        }
      }
    });
    try {
      for (let round = 0; round < rounds(100, 12); round += 1) await apply(client, round % 2 === 0 ? AFTER : BEFORE);
    } finally {
      isApplied = true;
    }
    await Promise.all(workers);
    console.log(`  ${JSON.stringify(counts)}`);
    assert.ok(counts.read > 0 && counts.changed > 0 && counts.refused < counts.read);
  } finally {
    await pool.end();
  }
});

test('a script gives up after five seconds behind a transaction, and changes nothing', async () => {
  if (typeof cluster === 'string') return;
  const { client, connection } = cluster;
  const pool = new Pool({ ...connection, max: 1 });
  try {
    await client.query(BEFORE);
    const policies = 'SELECT polname, pg_get_expr(polqual, polrelid) FROM pg_policy ORDER BY 1';
    const before = (await client.query(policies)).rows;
    const other = await pool.connect();
    await other.query('BEGIN; SELECT FROM docs');
    const error = (await client
      .query(AFTER.replace("lock_timeout = '5s'", "lock_timeout = '50ms'"))
      .catch((reason: unknown) => reason)) as { readonly code?: string };
    await client.query('ROLLBACK');
    await other.query('COMMIT');
    other.release();
    assert.is(error.code, '55P03');
    assert.equal((await client.query(policies)).rows, before);
    assert.match(AFTER, /SET LOCAL lock_timeout = '5s';/);
  } finally {
    await pool.end();
  }
});

test('the principal of a transaction ends with it, whatever happens within', async () => {
  if (typeof cluster === 'string') return;
  // One connection for everybody, as a pooler in transaction mode has it.
  const pool = new Pool({ ...cluster.connection, user: 'login', max: 1 });
  const random = new Random(SEED);
  const counts = { transactions: 0, failed: 0 };
  try {
    for (let round = 0; round < rounds(2_000, 150); round += 1) {
      const tenant = random.below(5);
      const own = [`t${tenant}`];
      counts.transactions += 1;
      const failed = await withPrincipal(
        pool,
        principalOf(tenant),
        async (client) => {
          assert.equal(await ownersOf(client), own);
          for (const step of random.some(STEPS, 0, 4)) await step(client, own, random);
          assert.equal(await ownersOf(client), own);
          if (random.chance(0.2)) throw new Abort();
        },
        { role: 'app' },
      ).then(
        () => false,
        (error: unknown) => {
          if (error instanceof Abort || typeof (error as { code?: unknown }).code === 'string') return true;
          throw error;
        },
      );
      if (failed) counts.failed += 1;
      // Whoever has the connection next is nobody, also in a transaction.
      const { rows } = await pool.query(
        "SELECT coalesce(current_setting('authz.principal', true), '') AS principal, current_user::text AS role",
      );
      assert.equal(rows, [{ principal: '', role: 'login' }]);
    }
    console.log(`  ${JSON.stringify(counts)}`);
    assert.ok(counts.failed > counts.transactions / 20);
  } finally {
    await pool.end();
  }
});

class Abort extends Error {}

type Step = (client: Asking, own: readonly string[], random: Random) => Promise<unknown>;

/** What a transaction may do between two questions. */
const STEPS: readonly Step[] = [
  (client) => client.query('SAVEPOINT one; SELECT FROM docs; RELEASE one'),
  async (client) => {
    await client.query('SAVEPOINT one');
    await client.query('SELECT 1 / 0').catch(() => undefined);
    await client.query('ROLLBACK TO one');
  },
  // Another principal within a savepoint that is rolled back.
  async (client, own, random) => {
    const other = `t${random.below(5)}`;
    await client.query('SAVEPOINT one');
    await client.query("SELECT set_config('authz.principal', $1, true)", [
      JSON.stringify({ id: other, roles: ['user'] }),
    ]);
    assert.equal(await ownersOf(client), [other]);
    await client.query('ROLLBACK TO one');
    assert.equal(await ownersOf(client), own);
  },
  (client) => client.query("UPDATE docs SET n = n + 1 WHERE owner = 't1'"),
  // Another tenant's row: the transaction fails.
  (client, [own]) => client.query('INSERT INTO docs VALUES (1000, $1, 1)', [own === 't1' ? 't2' : 't1']),
  (client) => client.query('SELECT 1 / 0'),
  (client) => client.query('PREPARE again AS SELECT 1; DEALLOCATE again'),
  (client) => client.query('SET LOCAL enable_seqscan = off'),
  (client) => client.query('DISCARD PLANS'),
];

test('a prepared statement shows each principal its own rows, also by a plan that is kept', async () => {
  if (typeof cluster === 'string') return;
  const pool = new Pool({ ...cluster.connection, user: 'login', max: 1 });
  try {
    for (const mode of ['auto', 'force_generic_plan', 'force_custom_plan'])
      for (let turn = 0; turn < 20; turn += 1)
        await withPrincipal(
          pool,
          principalOf(turn % 5),
          async (client) => {
            await client.query(`SET LOCAL plan_cache_mode = ${mode}`);
            if (turn === 0 && mode === 'auto')
              await client.query('PREPARE owners AS SELECT DISTINCT owner FROM docs WHERE n > $1');
            assert.equal((await client.query('EXECUTE owners(-1)')).rows, [{ owner: `t${turn % 5}` }]);
          },
          { role: 'app' },
        );
    assert.equal(await withPrincipal(pool, { id: 'x', roles: ['auditor'] }, ownersOf, { role: 'app' }), [
      't0',
      't1',
      't2',
      't3',
      't4',
    ]);
    await requireNothing(pool.query('EXECUTE owners(-1)'));
  } finally {
    await pool.end();
  }
});

/** The login role has no privilege of its own where no role was set. */
async function requireNothing(asked: Promise<{ readonly rows: readonly unknown[] }>): Promise<void> {
  const rows = await asked.then(
    (result) => result.rows,
    () => [],
  );
  assert.equal(rows, []);
}

test.run();

/** Applies a script; where a reader and it wait for each other, PostgreSQL ends one of them. */
async function apply(client: Cluster['client'], script: string): Promise<void> {
  for (;;) {
    const error = await client.query(script).then(
      () => undefined,
      (reason: unknown) => reason as { readonly code?: string },
    );
    if (error === undefined) return;
    await client.query('ROLLBACK');
    if (error.code !== '40P01' && error.code !== '55P03') throw error;
  }
}
