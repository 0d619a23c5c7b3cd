import { drizzle } from 'drizzle-orm/node-postgres';
import { sql as drizzleSql } from 'drizzle-orm';
import knexFactory from 'knex';
import { Kysely, PostgresDialect, sql as kyselySql } from 'kysely';
import { Pool } from 'pg';
import postgres from 'postgres';
import { DataSource } from 'typeorm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { withPrincipal as withDrizzle } from '../../packages/rls/drizzle.js';
import {
  ExemptRoleError,
  NestedPrincipalError,
  type SessionOptions,
  type SessionPrincipal,
} from '../../packages/rls/enter-session.js';
import { withPrincipal as withKnex } from '../../packages/rls/knex.js';
import { withPrincipal as withKysely } from '../../packages/rls/kysely.js';
import { withPrincipal as withPg } from '../../packages/rls/pg.js';
import { withPrincipal as withPostgresJs } from '../../packages/rls/postgres-js.js';
import { withPrincipal as withTypeorm } from '../../packages/rls/typeorm.js';
import { rounds } from '../support/effort.js';
import { Random } from '../support/oracle/random.js';
import { skip } from '../support/skip.js';
import { type Cluster, startCluster } from '../support/sql/postgresql-cluster.js';
import { protect } from './row-security.js';

const test = suite('transactions of a principal');

const QUERY = 'SELECT DISTINCT owner FROM docs';
const TENANTS = ['t0', 't1', 't2', 't3', 't4'];

/** Asks for the owners that a principal sees; with `fails`, the callback throws after it has asked. */
type Ask = (principal: SessionPrincipal, options?: SessionOptions, fails?: boolean) => Promise<readonly string[]>;

interface Library {
  readonly ask: Ask;
  /** What is seen without a principal. */
  readonly bare: () => Promise<number>;
  readonly end: () => Promise<unknown>;
}

class Abort extends Error {}

function settle(rows: readonly unknown[], fails: boolean): readonly string[] {
  if (fails) throw new Abort('aborted');
  return (rows as readonly { readonly owner: string }[]).map(({ owner }) => owner);
}

const LIBRARIES: { readonly [name: string]: (connection: Cluster['connection']) => Promise<Library> } = {
  'node-postgres': async (connection) => {
    const pool = new Pool({ ...connection, user: 'login', max: 4 });
    return {
      ask: (principal, options, fails = false) =>
        withPg(pool, principal, async (client) => settle((await client.query(QUERY)).rows, fails), options),
      bare: async () => (await pool.query(QUERY)).rows.length,
      end: () => pool.end(),
    };
  },
  'Postgres.js': async ({ host, database }) => {
    const sql = postgres({ host, database, user: 'login', max: 4, onnotice: () => undefined });
    return {
      ask: (principal, options, fails = false) =>
        withPostgresJs(sql, principal, async (transaction) => settle(await transaction.unsafe(QUERY), fails), options),
      bare: async () => (await sql.unsafe(QUERY)).length,
      end: () => sql.end(),
    };
  },
  Drizzle: async (connection) => {
    const pool = new Pool({ ...connection, user: 'login', max: 4 });
    const db = drizzle({ client: pool });
    return {
      ask: (principal, options, fails = false) =>
        withDrizzle(
          db,
          principal,
          async (tx) => settle((await tx.execute(drizzleSql.raw(QUERY))).rows, fails),
          options,
        ),
      bare: async () => (await db.execute(drizzleSql.raw(QUERY))).rows.length,
      end: () => pool.end(),
    };
  },
  Kysely: async (connection) => {
    const db = new Kysely<object>({
      dialect: new PostgresDialect({ pool: new Pool({ ...connection, user: 'login', max: 4 }) }),
    });
    return {
      ask: (principal, options, fails = false) =>
        withKysely(db, principal, async (tx) => settle((await kyselySql.raw(QUERY).execute(tx)).rows, fails), options),
      bare: async () => (await kyselySql.raw(QUERY).execute(db)).rows.length,
      end: () => db.destroy(),
    };
  },
  Knex: async (connection) => {
    const knex = knexFactory({ client: 'pg', connection: { ...connection, user: 'login' }, pool: { min: 0, max: 4 } });
    return {
      ask: (principal, options, fails = false) =>
        withKnex(
          knex,
          principal,
          async (tx) => settle(((await tx.raw(QUERY)) as { rows: unknown[] }).rows, fails),
          options,
        ),
      bare: async () => ((await knex.raw(QUERY)) as { readonly rows: unknown[] }).rows.length,
      end: () => knex.destroy(),
    };
  },
  TypeORM: async ({ host, database }) => {
    const source = new DataSource({ type: 'postgres', host, database, username: 'login', extra: { max: 4 } });
    await source.initialize();
    return {
      ask: (principal, options, fails = false) =>
        withTypeorm(
          source,
          principal,
          async (manager) => settle((await manager.query(QUERY)) as unknown[], fails),
          options,
        ),
      bare: async () => ((await source.query(QUERY)) as unknown[]).length,
      end: () => source.destroy(),
    };
  },
};

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
    const library = await open(cluster.connection);
    try {
      const random = new Random(1);
      const asked = Array.from({ length: rounds(1_000) }, async () => {
        const id = random.pick(TENANTS);
        const fails = random.chance(0.3);
        const seen = await library.ask({ id, roles: ['user'] }, { role: 'app' }, fails).catch((error: unknown) => {
          if (fails && error instanceof Abort) return 'failed';
          throw error;
        });
        assert.equal(seen, fails ? 'failed' : [id]);
      });
      await Promise.all(asked);
      assert.equal(await library.ask({ id: 'nobody', roles: ['user'] }, { role: 'app' }), []);
      // Outside of a transaction the connection is as it was: its role may not read the table.
      for (let i = 0; i < 4; i += 1) assert.match(String(await library.bare().catch(String)), /permission denied|^0$/);
    } finally {
      await library.end();
    }
  });

  test(`${name}: a role that policies do not apply to is refused`, async () => {
    if (typeof cluster === 'string') return skip(import.meta.url, cluster);
    const library = await open(cluster.connection);
    try {
      const error = await library
        .ask({ id: 't1', roles: ['user'] }, { role: 'boss' })
        .catch((reason: unknown) => reason);
      assert.instance(error, ExemptRoleError);
      assert.equal(await library.ask({ id: 't1', roles: ['user'] }, { role: 'app' }), ['t1']);
    } finally {
      await library.end();
    }
  });
}

test('a transaction within one of another principal is refused, and within its own it is not', async () => {
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const pool = new Pool({ ...cluster.connection, user: 'login', max: 1 });
  const db = drizzle({ client: pool });
  const [one, other] = [
    { id: 't1', roles: ['user'] },
    { id: 't2', roles: ['user'] },
  ] as const;
  try {
    await withDrizzle(
      db,
      one,
      async (tx) => {
        const rows = (): Promise<unknown> => tx.execute(drizzleSql.raw(QUERY)).then((result) => result.rows);
        assert.equal(await withDrizzle(tx, one, rows, { role: 'app' }), [{ owner: 't1' }]);
        const error = await withDrizzle(tx, other, rows, { role: 'app' }).catch((reason: unknown) => reason);
        assert.instance(error, NestedPrincipalError);
        assert.equal(await rows(), [{ owner: 't1' }]);
      },
      { role: 'app' },
    );
  } finally {
    await pool.end();
  }
});

test('with `nested`, a transaction of another principal shows its rows, and the outer one its own again', async () => {
  if (typeof cluster === 'string') return skip(import.meta.url, cluster);
  const pool = new Pool({ ...cluster.connection, user: 'login', max: 1 });
  const db = drizzle({ client: pool });
  const [one, other] = [
    { id: 't1', roles: ['user'] },
    { id: 't2', roles: ['user'] },
  ] as const;
  try {
    await withDrizzle(
      db,
      one,
      async (tx) => {
        const rowsIn = (inner: Pick<typeof tx, 'execute'>): Promise<unknown> =>
          inner.execute(drizzleSql.raw(QUERY)).then((result) => result.rows);
        for (const fails of [false, true]) {
          const asked = withDrizzle(
            tx,
            other,
            async (inner) => {
              assert.equal(await rowsIn(inner), [{ owner: 't2' }]);
              if (fails) throw new Abort();
            },
            { role: 'app', nested: true },
          );
          assert.is(await asked.catch((reason: unknown) => reason instanceof Abort), fails ? true : undefined);
          assert.equal(await rowsIn(tx), [{ owner: 't1' }]);
        }
      },
      { role: 'app' },
    );
    assert.equal((await db.execute(drizzleSql.raw(QUERY))).rows, []);
  } finally {
    await pool.end();
  }
});

test.run();
