/** The same table in each library, declared by the types that each has, for tests of the words of mappings. */
import { readFileSync, writeFileSync } from 'node:fs';
import { EntitySchema as MikroOrmSchema, type MikroORM } from '@mikro-orm/core';
import { MikroORM as MikroOrmOfSqlite } from '@mikro-orm/libsql';
import { MikroORM as MikroOrmOfMysql } from '@mikro-orm/mysql';
import { MikroORM as MikroOrmOfPostgresql } from '@mikro-orm/postgresql';
import { eq, type SQL } from 'drizzle-orm';
import * as my from 'drizzle-orm/mysql-core';
import { drizzle as drizzleOfMysql } from 'drizzle-orm/mysql2';
import { drizzle as drizzleOfPostgresql } from 'drizzle-orm/node-postgres';
import * as pg from 'drizzle-orm/pg-core';
import { drizzle as drizzleOfSqlite } from 'drizzle-orm/sql-js';
import * as lite from 'drizzle-orm/sqlite-core';
import knexOf, { type Knex } from 'knex';
import { type Dialect, Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely';
import Database from 'libsql';
import { createPool } from 'mysql2';
import { createPool as createPromisePool } from 'mysql2/promise';
import { type Options, Pool } from 'pg';
import { DataTypes, Sequelize, type Options as SequelizeOptions } from 'sequelize';
import initSqlJs from 'sql.js';
import { DataSource, type DataSourceOptions, EntitySchema } from 'typeorm';
import type { Mapping } from '../../packages/adapters/condition.js';
import { drizzleAdapter, type PlannedFilter } from '../../packages/adapters/drizzle.js';
import { knexAdapter } from '../../packages/adapters/knex.js';
import { kyselyAdapter } from '../../packages/adapters/kysely.js';
import { mikroOrmAdapter } from '../../packages/adapters/mikro-orm.js';
import { sequelizeAdapter } from '../../packages/adapters/sequelize.js';
import { typeormAdapter } from '../../packages/adapters/typeorm.js';
import type { SqlDialect } from '../../runtime/residual/sql/index.js';
import { type Connections, KnexOfLibsql, SEQUELIZE_OF_LIBSQL } from './libraries.js';

/** A library with the table `things`. */
export interface TypedLibrary {
  /** The columns that the library has, beside `id`; those of which it writes dates are `Date`s. */
  readonly columns: { readonly [name: string]: 'plain' | 'date' };
  /** All rows, as the library returns them. */
  rows(): Promise<readonly object[]>;
  write(id: number, column: string, date: Date): Promise<unknown>;
  /** Creates an adapter, which may throw. */
  adapter(mapping: Mapping<string>): {
    attributesOf(row: object): object;
    select(plan: PlannedFilter): Promise<readonly number[]>;
  };
  end(): Promise<unknown>;
}

export type TypedDialect = SqlDialect;
type Mysql = Connections['mysql'];
type Open = (connection: never, columns: readonly string[]) => Promise<TypedLibrary>;

const idsOf = (rows: readonly object[]): readonly number[] => rows.map((row) => (row as { readonly id: number }).id);
const only = <T>(all: { readonly [name: string]: T }, names: readonly string[]): { [name: string]: T } =>
  Object.fromEntries(names.flatMap((name) => (Object.hasOwn(all, name) ? [[name, all[name] as T]] : [])));

const DATES: ReadonlySet<string> = new Set(['moment', 'moment_ms', 'stamp', 'zoned']);
const kinds = (columns: object): TypedLibrary['columns'] =>
  Object.fromEntries(Object.keys(columns).map((name) => [name, DATES.has(name) ? 'date' : 'plain']));

export const TYPED_LIBRARIES: { readonly [name: string]: { readonly [D in TypedDialect]: Open } } = {
  'Drizzle ORM': {
    async sqlite(path: string, names) {
      const { Database: SqlJs } = await initSqlJs();
      const database = new SqlJs(readFileSync(path));
      const columns = only(
        {
          words: lite.text(),
          document: lite.text({ mode: 'json' }),
          whole: lite.integer(),
          flag: lite.integer({ mode: 'boolean' }),
          moment: lite.integer({ mode: 'timestamp' }),
          moment_ms: lite.integer({ mode: 'timestamp_ms' }),
          double: lite.real(),
          price: lite.numeric(),
        },
        names,
      );
      const things = lite.sqliteTable('things', { id: lite.integer().primaryKey(), ...columns });
      return drizzle(drizzleOfSqlite(database as never), things, columns, async () => database.close());
    },
    async postgresql(connection: Options, names) {
      const pool = new Pool(connection);
      const citext = pg.customType<{ data: string }>({ dataType: () => 'citext' });
      const columns = only(
        {
          words: pg.text(),
          short: pg.varchar({ length: 20 }),
          padded: pg.char({ length: 8 }),
          loose: citext(),
          key: pg.uuid(),
          whole: pg.integer(),
          large: pg.bigint({ mode: 'bigint' }),
          single: pg.real(),
          double: pg.doublePrecision(),
          price: pg.numeric(),
          flag: pg.boolean(),
          stamp: pg.timestamp(),
          zoned: pg.timestamp({ withTimezone: true }),
          day: pg.date(),
          text_document: pg.json(),
          document: pg.jsonb(),
          texts: pg.jsonb(),
          tags: pg.text().array(),
          mood: pg.pgEnum('mood', ['anna', 'x'])(),
        },
        names,
      );
      const things = pg.pgTable('things', { id: pg.integer().primaryKey(), ...columns });
      return drizzle(drizzleOfPostgresql(pool) as never, things as never, columns, () => pool.end());
    },
    async mysql(connection: Mysql, names) {
      const pool = createPromisePool(connection);
      const uuid = my.customType<{ data: string }>({ dataType: () => 'uuid' });
      const columns = only(
        {
          words: my.text(),
          short: my.varchar({ length: 20 }),
          padded: my.char({ length: 8 }),
          key: uuid(),
          small: my.tinyint(),
          whole: my.int(),
          large: my.bigint({ mode: 'bigint' }),
          single: my.float(),
          double: my.double(),
          price: my.decimal({ precision: 40, scale: 20 }),
          flag: my.boolean(),
          stamp: my.datetime({ fsp: 6 }),
          zoned: my.timestamp({ fsp: 6 }),
          day: my.date(),
          clock: my.time(),
          document: my.json(),
          mood: my.mysqlEnum(['anna', 'x']),
        },
        names,
      );
      const things = my.mysqlTable('things', { id: my.int().primaryKey(), ...columns });
      return drizzle(drizzleOfMysql(pool) as never, things as never, columns, () => pool.end());
    },
  },
  Kysely: {
    sqlite: (path: string, names) => kysely(new SqliteDialect({ database: new Database(path) as never }), names),
    postgresql: (connection: Options, names) => kysely(new PostgresDialect({ pool: new Pool(connection) }), names),
    mysql: (connection: Mysql, names) => kysely(new MysqlDialect({ pool: createPool(connection) as never }), names),
  },
  Knex: {
    sqlite: (filename: string, names) =>
      knex({ client: KnexOfLibsql as never, connection: { filename }, useNullAsDefault: true }, names),
    postgresql: (connection: Options, names) => knex({ client: 'pg', connection: connection as never }, names),
    mysql: (connection: Mysql, names) => knex({ client: 'mysql2', connection: connection as never }, names),
  },
  TypeORM: {
    sqlite: (database: string, names) =>
      typeorm(
        { type: 'better-sqlite3', database, driver: Database },
        {
          words: 'text',
          document: 'simple-json',
          whole: 'integer',
          flag: 'boolean',
          moment_ms: 'datetime',
          double: 'double',
          price: 'decimal',
        },
        names,
      ),
    postgresql: ({ host, user, database }: Options, names) =>
      typeorm(
        { type: 'postgres', host: host as string, username: user as string, database: database as string },
        {
          words: 'text',
          short: 'varchar',
          padded: 'char',
          loose: 'citext',
          key: 'uuid',
          whole: 'int',
          large: 'bigint',
          single: 'real',
          double: 'double precision',
          price: 'numeric',
          flag: 'boolean',
          stamp: 'timestamp',
          zoned: 'timestamptz',
          day: 'date',
          text_document: 'json',
          document: 'jsonb',
          texts: 'jsonb',
          mood: 'enum',
        },
        names,
      ),
    mysql: ({ socketPath, user, database }: Mysql, names) =>
      typeorm(
        { type: 'mariadb', socketPath, username: user, database, timezone: 'Z' },
        {
          words: 'text',
          short: 'varchar',
          padded: 'char',
          key: 'uuid',
          small: 'tinyint',
          whole: 'int',
          large: 'bigint',
          single: 'float',
          double: 'double',
          price: 'decimal',
          flag: 'boolean',
          stamp: 'datetime',
          zoned: 'timestamp',
          day: 'date',
          clock: 'time',
          document: 'json',
          mood: 'enum',
        },
        names,
      ),
  },
  Sequelize: {
    sqlite: (storage: string, names) =>
      sequelize(
        { dialect: 'sqlite', storage, dialectModule: SEQUELIZE_OF_LIBSQL },
        {
          words: DataTypes.TEXT,
          document: DataTypes.JSON,
          whole: DataTypes.INTEGER,
          flag: DataTypes.BOOLEAN,
          moment_ms: DataTypes.DATE,
          double: DataTypes.DOUBLE,
          price: DataTypes.DECIMAL,
        },
        names,
      ),
    postgresql: ({ host, user, database }: Options, names) =>
      sequelize(
        { dialect: 'postgres', host: host as string, username: user as string, database: database as string },
        {
          words: DataTypes.TEXT,
          short: DataTypes.STRING(20),
          padded: DataTypes.CHAR(8),
          loose: DataTypes.CITEXT,
          key: DataTypes.UUID,
          whole: DataTypes.INTEGER,
          large: DataTypes.BIGINT,
          single: DataTypes.REAL,
          double: DataTypes.DOUBLE,
          price: DataTypes.DECIMAL,
          flag: DataTypes.BOOLEAN,
          zoned: DataTypes.DATE,
          day: DataTypes.DATEONLY,
          text_document: DataTypes.JSON,
          document: DataTypes.JSONB,
          texts: DataTypes.JSONB,
          tags: DataTypes.ARRAY(DataTypes.TEXT),
          mood: DataTypes.ENUM('anna', 'x'),
        },
        names,
      ),
    mysql: ({ socketPath, user, database }: Mysql, names) =>
      sequelize(
        { dialect: 'mysql', username: user, database, dialectOptions: { socketPath } },
        {
          words: DataTypes.TEXT,
          short: DataTypes.STRING(20),
          padded: DataTypes.CHAR(8),
          key: DataTypes.UUID,
          small: DataTypes.TINYINT,
          whole: DataTypes.INTEGER,
          large: DataTypes.BIGINT,
          single: DataTypes.FLOAT,
          double: DataTypes.DOUBLE,
          price: DataTypes.DECIMAL(40, 20),
          flag: DataTypes.BOOLEAN,
          stamp: DataTypes.DATE(6),
          day: DataTypes.DATEONLY,
          clock: DataTypes.TIME,
          document: DataTypes.JSON,
          mood: DataTypes.ENUM('anna', 'x'),
        },
        names,
      ),
  },
  MikroORM: {
    sqlite: (dbName: string, names) =>
      mikroOrm(
        (options) => MikroOrmOfSqlite.init({ ...options, dbName } as never),
        {
          words: 'text',
          document: 'json',
          whole: 'integer',
          flag: 'boolean',
          moment_ms: 'datetime',
          double: 'double',
          price: 'decimal',
        },
        names,
      ),
    postgresql: ({ host, user, database }: Options, names) =>
      mikroOrm(
        (options) => MikroOrmOfPostgresql.init({ ...options, host, user, dbName: database } as never),
        {
          words: 'text',
          short: 'string',
          padded: 'character',
          key: 'uuid',
          whole: 'integer',
          large: 'bigint',
          single: 'float',
          double: 'double',
          price: 'decimal',
          flag: 'boolean',
          zoned: 'datetime',
          stamp: 'timestamp',
          day: 'date',
          document: 'json',
          texts: 'json',
          tags: 'array',
        },
        names,
      ),
    mysql: ({ socketPath, user, database }: Mysql, names) =>
      mikroOrm(
        (options) =>
          MikroOrmOfMysql.init({
            ...options,
            user,
            dbName: database,
            forceUtcTimezone: true,
            driverOptions: { connection: { socketPath } },
          } as never),
        {
          words: 'text',
          short: 'string',
          padded: 'character',
          // Its own type `uuid` is `varchar(36)` in MySQL.
          key: { type: 'string', columnType: 'uuid' },
          small: 'tinyint',
          whole: 'integer',
          large: 'bigint',
          single: 'float',
          double: 'double',
          price: 'decimal',
          flag: 'boolean',
          stamp: 'datetime',
          zoned: 'timestamp',
          day: 'date',
          clock: 'time',
          document: 'json',
        },
        names,
      ),
  },
};

function drizzle(
  db: ReturnType<typeof drizzleOfSqlite>,
  things: lite.SQLiteTable,
  columns: object,
  end: () => Promise<unknown>,
): TypedLibrary {
  const { id } = things as unknown as { readonly id: lite.SQLiteColumn };
  return {
    columns: kinds(columns),
    rows: async () => (await db.select().from(things)) as object[],
    write: async (at, column, date) =>
      db
        .update(things)
        .set({ [column]: date })
        .where(eq(id, at)),
    adapter(mapping) {
      const allowed = drizzleAdapter(things, mapping as never);
      return {
        attributesOf: (row) => allowed.attributesOf(row as never) as object,
        select: async (plan) =>
          idsOf(
            await db
              .select({ id })
              .from(things)
              .where(allowed(plan) as SQL),
          ),
      };
    },
    end,
  };
}

async function kysely(dialect: Dialect, names: readonly string[]): Promise<TypedLibrary> {
  interface Tables {
    things: { id: number; [column: string]: unknown };
  }
  const db = new Kysely<Tables>({ dialect });
  return {
    columns: Object.fromEntries(names.map((name) => [name, 'plain'])),
    rows: () => db.selectFrom('things').selectAll().execute(),
    write: async () => undefined,
    adapter(mapping) {
      const allowed = kyselyAdapter<Tables, 'things'>('things', mapping as never);
      return {
        attributesOf: (row) => allowed.attributesOf(row as never),
        select: async (plan) => idsOf(await db.selectFrom('things').select('id').where(allowed(plan)).execute()),
      };
    },
    end: () => db.destroy(),
  };
}

async function knex(config: Knex.Config, names: readonly string[]): Promise<TypedLibrary> {
  const db = knexOf(config);
  return {
    columns: Object.fromEntries(names.map((name) => [name, 'plain'])),
    rows: async () => (await db('things').select('*')) as object[],
    write: async () => undefined,
    adapter(mapping) {
      const allowed = knexAdapter<{ readonly [column: string]: unknown }>('things', mapping);
      return {
        attributesOf: (row) => allowed.attributesOf(row as never),
        select: async (plan) => idsOf(await db('things').select('id').where(allowed(plan))),
      };
    },
    end: () => db.destroy(),
  };
}

async function typeorm(
  options: DataSourceOptions,
  types: { readonly [name: string]: string },
  names: readonly string[],
): Promise<TypedLibrary> {
  const columns = only(types, names);
  const things = new EntitySchema<{ id: number; [property: string]: unknown }>({
    name: 'Thing',
    tableName: 'things',
    columns: {
      id: { type: 'int', primary: true },
      ...Object.fromEntries(
        Object.entries(columns).map(([name, type]) => [
          name,
          { type: type as 'text', nullable: true, ...(type === 'enum' && { enum: ['anna', 'x'] }) },
        ]),
      ),
    },
  });
  const source = await new DataSource({ ...options, entities: [things] } as DataSourceOptions).initialize();
  const repository = source.getRepository(things);
  return {
    columns: kinds(columns),
    rows: () => repository.find(),
    write: (id, column, date) => repository.update({ id }, { [column]: date } as never),
    adapter(mapping) {
      const allowed = typeormAdapter(repository, mapping);
      return {
        attributesOf: (row) => allowed.attributesOf(row as never),
        select: async (plan) => idsOf(await repository.createQueryBuilder().where(allowed(plan)).getMany()),
      };
    },
    end: () => source.destroy(),
  };
}

async function sequelize(
  options: SequelizeOptions,
  types: { readonly [name: string]: unknown },
  names: readonly string[],
): Promise<TypedLibrary> {
  const columns = only(types, names);
  const db = new Sequelize({ ...options, logging: false });
  const things = db.define('Thing', { id: { type: DataTypes.INTEGER, primaryKey: true }, ...columns } as never, {
    tableName: 'things',
    timestamps: false,
  });
  return {
    columns: kinds(columns),
    rows: () => things.findAll(),
    write: (id, column, date) => things.update({ [column]: date } as never, { where: { id } as never }),
    adapter(mapping) {
      const allowed = sequelizeAdapter(things, mapping as never);
      return {
        attributesOf: (row) => allowed.attributesOf(row as never) as object,
        select: async (plan) => idsOf(await things.findAll({ where: allowed(plan) as never })),
      };
    },
    end: () => db.close(),
  };
}

async function mikroOrm(
  init: (options: object) => Promise<MikroORM>,
  types: { readonly [name: string]: string | object },
  names: readonly string[],
): Promise<TypedLibrary> {
  const columns = only(types, names);
  const things = new MikroOrmSchema<{ id: number }>({
    name: 'Thing',
    tableName: 'things',
    properties: {
      id: { type: 'integer', primary: true },
      ...Object.fromEntries(
        Object.entries(columns).map(([name, type]) => [
          name,
          typeof type === 'object'
            ? { ...type, nullable: true }
            : type === 'timestamp'
              ? { type: 'datetime', columnType: 'timestamp', nullable: true }
              : { type, nullable: true, ...(type === 'character' && { length: 8 }) },
        ]),
      ),
    } as never,
  });
  const orm = await init({ entities: [things], discovery: { disableDynamicFileAccess: true } });
  return {
    columns: kinds(columns),
    rows: () => orm.em.fork().find(things, {}),
    write: (id, column, date) => orm.em.fork().nativeUpdate(things, { id } as never, { [column]: date } as never),
    adapter(mapping) {
      const allowed = mikroOrmAdapter(orm, things, mapping as never);
      return {
        attributesOf: (row) => allowed.attributesOf(row as never) as object,
        select: async (plan) => idsOf(await orm.em.fork().find(things, allowed(plan) as never)),
      };
    },
    end: () => orm.close(),
  };
}

/** A copy of a database file, as each library writes its own dates. */
export function copied(path: string, name: string): string {
  const copy = `${path}.${name.replaceAll(/\W/g, '')}`;
  writeFileSync(copy, readFileSync(path));
  return copy;
}
