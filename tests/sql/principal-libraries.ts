import { drizzle } from 'drizzle-orm/node-postgres';
import { sql as drizzleSql } from 'drizzle-orm';
import knexFactory, { type Knex } from 'knex';
import { CompiledQuery, Kysely, PostgresDialect } from 'kysely';
import { Pool } from 'pg';
import postgres from 'postgres';
import { DataSource, type EntityManager } from 'typeorm';
import { withPrincipal as withDrizzle } from '../../packages/rls/drizzle.js';
import type { SessionOptions, SessionPrincipal } from '../../packages/rls/enter-session.js';
import { withPrincipal as withKnex } from '../../packages/rls/knex.js';
import { withPrincipal as withKysely } from '../../packages/rls/kysely.js';
import { type PgClient, type PgPool, withPrincipal as withPg } from '../../packages/rls/pg.js';
import { withPrincipal as withPostgresJs } from '../../packages/rls/postgres-js.js';
import { withPrincipal as withTypeorm } from '../../packages/rls/typeorm.js';

/** A transaction of a principal. */
export interface Asked {
  rows(statement: string): Promise<readonly unknown[]>;
  /** A transaction of another principal within it; undefined where a library has none. */
  readonly within?: WithPrincipal;
}

type WithPrincipal = <Result>(
  principal: SessionPrincipal,
  callback: (asked: Asked) => Promise<Result>,
  options?: SessionOptions,
) => Promise<Result>;

/** A library with a pool of connections. */
export interface Library {
  readonly withPrincipal: WithPrincipal;
  /** Asks outside of a transaction of a principal. */
  readonly bare: (statement: string) => Promise<readonly unknown[]>;
  readonly end: () => Promise<unknown>;
}

/** Where a pool connects to, and how many connections it has. */
export interface PoolOptions {
  readonly host: string;
  readonly database: string;
  readonly port?: number;
  readonly max: number;
  /** Whether Postgres.js names its statements, which poolers in transaction mode do not know. */
  readonly isNaming?: boolean;
}

/** Opens a pool of each library, whose connections are of the role `login`. */
export const LIBRARIES: { readonly [name: string]: (options: PoolOptions) => Promise<Library> } = {
  'node-postgres': async (options) => {
    const pool: PgPool<PgClient> & PgClient & { end(): Promise<void> } = poolOf(options);
    return {
      withPrincipal: (principal, callback, own) =>
        withPg(pool, principal, (client) => callback({ rows: async (text) => (await client.query(text)).rows }), own),
      bare: async (text) => (await pool.query(text)).rows,
      end: () => pool.end(),
    };
  },
  'Postgres.js': async ({ host, database, port = 5432, max, isNaming = true }) => {
    const sql = postgres({
      host,
      database,
      port,
      username: 'login',
      max,
      prepare: isNaming,
      onnotice: () => undefined,
    });
    return {
      withPrincipal: (principal, callback, own) =>
        withPostgresJs(sql, principal, (tx) => callback({ rows: async (text) => [...(await tx.unsafe(text))] }), own),
      bare: async (text) => [...(await sql.unsafe(text))],
      end: () => sql.end(),
    };
  },
  Drizzle: async (options) => {
    const pool = poolOf(options);
    const db = drizzle({ client: pool });
    type Database = Parameters<Parameters<typeof db.transaction>[0]>[0];
    const within =
      (outer: Pick<Database, 'transaction'>): WithPrincipal =>
      (principal, callback, own) =>
        withDrizzle(
          outer,
          principal,
          (tx: Database) =>
            callback({ rows: async (text) => (await tx.execute(drizzleSql.raw(text))).rows, within: within(tx) }),
          own,
        );
    return {
      withPrincipal: within(db),
      bare: async (text) => (await db.execute(drizzleSql.raw(text))).rows,
      end: () => pool.end(),
    };
  },
  Kysely: async (options) => {
    const db = new Kysely<object>({ dialect: new PostgresDialect({ pool: poolOf(options) }) });
    return {
      withPrincipal: (principal, callback, own) =>
        withKysely(
          db,
          principal,
          (tx) => callback({ rows: async (text) => (await tx.executeQuery(CompiledQuery.raw(text))).rows }),
          own,
        ),
      bare: async (text) => (await db.executeQuery(CompiledQuery.raw(text))).rows,
      end: () => db.destroy(),
    };
  },
  Knex: async ({ host, database, port = 5432, max }) => {
    const knex = knexFactory({
      client: 'pg',
      connection: { host, database, port, user: 'login' },
      pool: { min: 0, max },
      acquireConnectionTimeout: 600_000,
    });
    const rowsOf = async (own: Knex, text: string): Promise<readonly unknown[]> =>
      ((await own.raw(text)) as { readonly rows: readonly unknown[] }).rows;
    const within =
      (outer: Knex): WithPrincipal =>
      (principal, callback, own) =>
        withKnex(outer, principal, (tx) => callback({ rows: (text) => rowsOf(tx, text), within: within(tx) }), own);
    return { withPrincipal: within(knex), bare: (text) => rowsOf(knex, text), end: () => knex.destroy() };
  },
  TypeORM: async ({ host, database, port = 5432, max }) => {
    const source = new DataSource({ type: 'postgres', host, database, port, username: 'login', extra: { max } });
    await source.initialize();
    const within =
      (outer: DataSource | EntityManager): WithPrincipal =>
      (principal, callback, own) =>
        withTypeorm(
          outer,
          principal,
          (manager) => callback({ rows: (text) => manager.query<unknown[]>(text), within: within(manager) }),
          own,
        );
    return {
      withPrincipal: within(source),
      bare: (text) => source.query<unknown[]>(text),
      end: () => source.destroy(),
    };
  },
};

function poolOf({ host, database, port = 5432, max }: PoolOptions): InstanceType<typeof Pool> {
  const pool = new Pool({ host, database, port, user: 'login', max });
  // A connection that a server ends is an event of the pool.
  pool.on('error', () => undefined);
  return pool;
}
