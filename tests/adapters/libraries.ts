import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { MikroORM as MikroOrmOfMysql } from '@mikro-orm/mysql';
import { EntitySchema as MikroOrmSchema, type MikroORM, type Options as MikroOrmOptions, raw } from '@mikro-orm/core';
import { MikroORM as MikroOrmOfSqlite } from '@mikro-orm/libsql';
import { MikroORM as MikroOrmOfPostgresql, type SqlEntityManager } from '@mikro-orm/postgresql';
import { and, getTableColumns, gte, inArray, not, or, type SQL, sql, type Table } from 'drizzle-orm';
import { mysqlTable, text as mysqlText } from 'drizzle-orm/mysql-core';
import { drizzle as drizzleOfMysql } from 'drizzle-orm/mysql2';
import { drizzle as drizzleOfPostgresql } from 'drizzle-orm/node-postgres';
import { type PgColumn, pgTable, text as pgText } from 'drizzle-orm/pg-core';
import { drizzle as drizzleOfSqlite } from 'drizzle-orm/sql-js';
import { sqliteTable, text as sqliteText } from 'drizzle-orm/sqlite-core';
import knexOf, { type Knex } from 'knex';
import {
  type Dialect,
  type Expression,
  type ExpressionBuilder,
  Kysely,
  MysqlDialect,
  PostgresDialect,
  type SqlBool,
  SqliteDialect,
} from 'kysely';
import Database from 'libsql';
import { createPool } from 'mysql2';
import { createPool as createPromisePool } from 'mysql2/promise';
import { type Options, Pool } from 'pg';
import { DataTypes, literal, Op, Sequelize, type Options as SequelizeOptions, type WhereOptions } from 'sequelize';
import initSqlJs from 'sql.js';
import { Brackets, DataSource, NotBrackets, type DataSourceOptions, EntitySchema } from 'typeorm';
import type { Mapping } from '../../packages/adapters/condition.js';
import {
  drizzleAdapter,
  drizzleCan,
  drizzleMask,
  type PlannedCapabilities,
  type PlannedFilter,
} from '../../packages/adapters/drizzle.js';
import { knexAdapter, knexCan, knexMask } from '../../packages/adapters/knex.js';
import { type Composition, composed } from './compositions.js';
import { kyselyAdapter, kyselyCan, kyselyMask } from '../../packages/adapters/kysely.js';
import { mikroOrmAdapter, mikroOrmCan, mikroOrmMask } from '../../packages/adapters/mikro-orm.js';
import { sequelizeAdapter, sequelizeCan, sequelizeMask } from '../../packages/adapters/sequelize.js';
import { typeormAdapter, typeormCan, typeormMask } from '../../packages/adapters/typeorm.js';
import type { SqlDialect } from '../../runtime/residual/sql/index.js';

/** A library with a connection of its own. */
export interface Library {
  /** The positions of the rows of `things` that all of several plans select, in one query. */
  select(plans: readonly PlannedFilter[]): Promise<readonly number[]>;
  /** The fields of can columns, by the position of the row, in one query. */
  can(plans: PlannedCapabilities): Promise<ReadonlyMap<number, CanRow>>;
  /** The positions that a mask shows for the first of several plans, as columns and as a source. */
  masked(plans: PlannedCapabilities): Promise<readonly (readonly number[])[]>;
  /** The positions of the rows that a combination selects, and their number as the library counts them. */
  selectCombined(combined: Combined): Promise<{ readonly positions: readonly number[]; readonly count: number }>;
  /** Takes the positions of the rows that a combination selects from 999,999. */
  update(combined: Combined): Promise<unknown>;
  /** Deletes the rows that a combination selects. */
  remove(combined: Combined): Promise<unknown>;
  end(): Promise<unknown>;
}

/** A condition that an application makes of plans and of lists of positions. */
export interface Combined {
  readonly composition: Composition;
  readonly plans: readonly PlannedFilter[];
  readonly own: readonly (readonly number[])[];
}

/** A row with can columns. An action without SQL has NULL. */
export interface CanRow {
  readonly [name: string]: unknown;
}

/** How a library reaches each database. */
export interface Connections {
  readonly postgresql: Options;
  readonly mysql: { readonly socketPath: string; readonly user: string; readonly database: string };
  /** A file. */
  readonly sqlite: string;
}

/** The table `things`: its columns, by the names of properties. */
export interface Things {
  readonly columns: { readonly [property: string]: string };
  readonly byProperty: Mapping<string>;
  readonly byColumn: Mapping<string>;
}

type Open<D extends SqlDialect> = (connection: Connections[D], things: Things) => Promise<Library>;

/** Each library with its adapter in each database. Those without a driver for libsql get one that looks like theirs. */
export const LIBRARIES: { readonly [name: string]: { readonly [D in SqlDialect]: Open<D> } } = {
  Drizzle: {
    async postgresql(connection, { columns, byProperty }) {
      const pool = new Pool(connection);
      const things = pgTable(
        'things',
        mapped({ position: 'position', ...columns }, (name) => pgText(name)),
      );
      const allowed = drizzleAdapter<Table>(things, byProperty);
      const db = drizzleOfPostgresql(pool);
      return {
        ...drizzle(
          db as never,
          things,
          allowed,
          drizzleCan<Table>(things, byProperty),
          drizzleMask<Table>(things, byProperty),
        ),
        end: () => pool.end(),
      };
    },
    async mysql(connection, { columns, byProperty }) {
      const pool = createPromisePool(connection);
      const things = mysqlTable(
        'things',
        mapped({ position: 'position', ...columns }, (name) => mysqlText(name)),
      );
      const allowed = drizzleAdapter<Table>(things, byProperty);
      const db = drizzleOfMysql(pool);
      return {
        ...drizzle(
          db as never,
          things,
          allowed,
          drizzleCan<Table>(things, byProperty),
          drizzleMask<Table>(things, byProperty),
        ),
        end: () => pool.end(),
      };
    },
    async sqlite(path, { columns, byProperty }) {
      const { Database: SqlJs } = await initSqlJs();
      const database = new SqlJs(readFileSync(path));
      const things = sqliteTable(
        'things',
        mapped({ position: 'position', ...columns }, (name) => sqliteText(name)),
      );
      const allowed = drizzleAdapter<Table>(things, byProperty);
      const db = drizzleOfSqlite(database as never);
      return {
        ...drizzle(
          db as never,
          things,
          allowed,
          drizzleCan<Table>(things, byProperty),
          drizzleMask<Table>(things, byProperty),
        ),
        end: async () => database.close(),
      };
    },
  },
  Kysely: {
    postgresql: (connection, things) => kysely(new PostgresDialect({ pool: new Pool(connection) }), things),
    mysql: (connection, things) => kysely(new MysqlDialect({ pool: createPool(connection) as never }), things),
    sqlite: (path, things) => kysely(new SqliteDialect({ database: new Database(path) as never }), things),
  },
  Knex: {
    postgresql: (connection, things) => knex({ client: 'pg', connection }, things),
    mysql: (connection, things) => knex({ client: 'mysql2', connection }, things),
    sqlite: (filename, things) =>
      knex({ client: KnexOfLibsql as never, connection: { filename }, useNullAsDefault: true }, things),
  },
  TypeORM: {
    postgresql: ({ host, user, database }, things) =>
      typeorm({ type: 'postgres', host, username: user, database }, things),
    mysql: ({ socketPath, user, database }, things) =>
      typeorm({ type: 'mariadb', socketPath, username: user, database }, things),
    sqlite: (database, things) => typeorm({ type: 'better-sqlite3', database, driver: Database }, things),
  },
  Sequelize: {
    postgresql: ({ host, user, database }, things) =>
      sequelize({ dialect: 'postgres', host, username: user, database }, things),
    mysql: ({ socketPath, user, database }, things) =>
      sequelize({ dialect: 'mysql', username: user, database, dialectOptions: { socketPath } }, things),
    sqlite: (storage, things) => sequelize({ dialect: 'sqlite', storage, dialectModule: SEQUELIZE_OF_LIBSQL }, things),
  },
  MikroORM: {
    postgresql: ({ host, user, database }, things) =>
      mikroOrm((options) => MikroOrmOfPostgresql.init({ ...options, host, user, dbName: database } as never), things),
    mysql: ({ socketPath, user, database }, things) =>
      mikroOrm(
        (options) =>
          MikroOrmOfMysql.init({
            ...options,
            user,
            dbName: database,
            driverOptions: { connection: { socketPath } },
          } as never),
        things,
      ),
    sqlite: (dbName, things) => mikroOrm((options) => MikroOrmOfSqlite.init({ ...options, dbName } as never), things),
  },
};

/** The queries of Drizzle, which are the same for all databases but in types. */
function drizzle(
  db: ReturnType<typeof drizzleOfPostgresql>,
  things: Table,
  allowed: ReturnType<typeof drizzleAdapter<Table>>,
  can: ReturnType<typeof drizzleCan<Table>>,
  mask: ReturnType<typeof drizzleMask<Table>>,
): Omit<Library, 'end'> {
  const { position } = getTableColumns(things) as { readonly position: PgColumn };
  const where = ({ composition, plans, own }: Combined): SQL =>
    composed<SQL>(composition, {
      plan: (index, negated) => allowed(plans[index] as PlannedFilter, { negated }),
      own: (index) => inArray(position, own[index] as number[]),
      all: (parts) => and(...parts) as SQL,
      any: (parts) => or(...parts) as SQL,
      not: (part) => not(part),
    });
  const table = things as ReturnType<typeof pgTable>;
  return {
    select: async (plans) =>
      positionsOf(
        await db
          .select()
          .from(table)
          .where(and(...plans.map((plan) => allowed(plan)))),
      ),
    can: async (plans) => canRows(await db.select({ position, ...can(plans, NULLS) }).from(table)),
    async masked(plans) {
      const fields = mask(plans, masksOf(plans) as never, TOLD) as { readonly position: SQL.Aliased<number> };
      const source = db.select({ position: fields.position }).from(table).as('things');
      return [
        shownIn(await db.select(fields).from(table)),
        shownIn(await db.select().from(source).where(gte(source.position, 0))),
      ];
    },
    selectCombined: async (combined) => ({
      positions: positionsOf(await db.select({ position }).from(table).where(where(combined))),
      count: await db.$count(table, where(combined)),
    }),
    update: (combined) =>
      db
        .update(table)
        .set({ position: sql`999999 - ${position}` } as never)
        .where(where(combined))
        .execute(),
    remove: (combined) => db.delete(table).where(where(combined)).execute(),
  };
}

async function kysely(dialect: Dialect, { byColumn }: Things): Promise<Library> {
  interface Tables {
    things: { readonly position: number; readonly [column: string]: unknown };
  }
  const db = new Kysely<Tables>({ dialect });
  const allowed = kyselyAdapter<Tables, 'things'>('things', byColumn as never);
  const can = kyselyCan<Tables, 'things'>('things', byColumn as never);
  const mask = kyselyMask<Tables, 'things'>('things', byColumn as never);
  const kyselyWhere =
    ({ composition, plans, own }: Combined) =>
    (eb: ExpressionBuilder<Tables, 'things'>): Expression<SqlBool> =>
      composed<Expression<SqlBool>>(composition, {
        plan: (index, negated) => allowed(plans[index] as PlannedFilter, { negated }),
        own: (index) => eb('position', 'in', own[index] as readonly number[]),
        all: (parts) => eb.and(parts),
        any: (parts) => eb.or(parts),
        not: (part) => eb.not(part),
      });
  return {
    async select(plans) {
      let query = db.selectFrom('things as t').select('position');
      for (const plan of plans) query = query.where(allowed(plan, { alias: 't' }));
      return positionsOf(await query.execute());
    },
    can: async (plans) =>
      canRows(
        await db
          .selectFrom('things as t')
          .select('position')
          .select(can(plans, { ...NULLS, alias: 't' }))
          .execute(),
      ),
    async masked(plans) {
      const masks = masksOf(plans) as never;
      const source = mask.source(plans, masks, { ...NULLS, alias: 's', others: ['position'] });
      return [
        shownIn(
          await db
            .selectFrom('things as t')
            .select(mask.columns(plans, masks, { ...TOLD, alias: 't' }))
            .execute(),
        ),
        shownIn(await db.selectFrom(source).selectAll().where('s.position', '>=', 0).execute()),
      ];
    },
    async selectCombined(combined) {
      const selected = db.selectFrom('things').where(kyselyWhere(combined));
      const counted = await selected.select(({ fn }) => fn.countAll().as('count')).executeTakeFirstOrThrow();
      return { positions: positionsOf(await selected.select('position').execute()), count: Number(counted.count) };
    },
    update: (combined) =>
      db
        .updateTable('things')
        .set((eb) => ({ position: eb(eb.val(999_999), '-', eb.ref('position')) }) as never)
        .where(kyselyWhere(combined))
        .execute(),
    remove: (combined) => db.deleteFrom('things').where(kyselyWhere(combined)).execute(),
    end: () => db.destroy(),
  };
}

/** The dialect of Knex for the API that libsql has, as MikroORM derives it. */
export class KnexOfLibsql extends (createRequire(import.meta.url)('knex/lib/dialects/better-sqlite3') as new (
  config: Knex.Config,
) => Knex.Client) {
  _driver() {
    return Database;
  }
}

async function knex(config: Knex.Config, { byColumn }: Things): Promise<Library> {
  const db = knexOf(config);
  // Only in PostgreSQL, Knex has an escape for placeholders.
  const attributes = Object.entries(byColumn.attributes).filter(
    ([, stored]) => 'relation' in stored || config.client === 'pg' || !stored.column.includes('?'),
  );
  const mapping = { ...byColumn, attributes: Object.fromEntries(attributes) };
  const allowed = knexAdapter<{ readonly [column: string]: unknown }>('things', mapping);
  const can = knexCan<{ readonly [column: string]: unknown }>(db, 'things', mapping);
  const mask = knexMask<{ readonly [column: string]: unknown }>(db, 'things', mapping);
  type Where = (query: Knex.QueryBuilder) => void;
  const where = ({ composition, plans, own }: Combined): Where =>
    composed<Where>(composition, {
      plan: (index, negated) => allowed(plans[index] as PlannedFilter, { negated }),
      own: (index) => (query) => void query.whereIn('position', own[index] as readonly number[]),
      all: (parts) => (query) => {
        for (const part of parts) query.where(part);
      },
      any: (parts) => (query) => {
        for (const part of parts) query.orWhere(part);
      },
      not: (part) => (query) => void query.whereNot(part),
    });
  return {
    async select(plans) {
      const query = db('things').select('position');
      for (const plan of plans) query.where(allowed(plan));
      return positionsOf(await query);
    },
    can: async (plans) => canRows(await db('things').select('position', ...can(plans, NULLS))),
    async masked(plans) {
      const masks = masksOf(plans);
      const source = mask.source(plans, masks, { ...NULLS, alias: 's', others: ['position'] });
      return [
        shownIn(await db('things').select(...mask.columns(plans, masks, TOLD))),
        shownIn(await db.select().from(source).where('s.position', '>=', 0)),
      ];
    },
    async selectCombined(combined) {
      const [counted] = await db('things').where(where(combined)).count({ count: '*' });
      return {
        positions: positionsOf(await db('things').select('position').where(where(combined))),
        count: Number(counted?.count),
      };
    },
    update: async (combined) =>
      db('things')
        .where(where(combined))
        .update({ position: db.raw('999999 - position') }),
    remove: async (combined) => db('things').where(where(combined)).delete(),
    end: () => db.destroy(),
  };
}

async function typeorm(options: DataSourceOptions, { columns, byProperty }: Things): Promise<Library> {
  const things = new EntitySchema<{ position: number; [property: string]: unknown }>({
    name: 'Thing',
    tableName: 'things',
    columns: {
      position: { type: 'int', primary: true },
      ...mapped(columns, (name) => ({ type: 'text' as const, name, nullable: true, select: false })),
    },
  });
  const source = await new DataSource({ ...options, entities: [things] } as DataSourceOptions).initialize();
  const repository = source.getRepository(things);
  const allowed = typeormAdapter(repository, byProperty);
  const can = typeormCan(repository, byProperty);
  const mask = typeormMask(repository, byProperty);
  const where = ({ composition, plans, own }: Combined, alias: string): Brackets =>
    composed<Brackets>(composition, {
      plan: (index, negated) => allowed(plans[index] as PlannedFilter, { alias, negated }),
      own: (index) => new Brackets((query) => query.where(`${alias}.position IN (${own[index]?.join()})`)),
      all: (parts) => new Brackets((query) => void parts.map((part) => query.andWhere(part))),
      any: (parts) => new Brackets((query) => void parts.map((part) => query.orWhere(part))),
      not: (part) => new NotBrackets((query) => query.where(part)),
    });
  return {
    async select(plans) {
      const query = repository.createQueryBuilder('t').where('t.position >= :least', { least: 0 });
      for (const plan of plans) query.andWhere(allowed(plan, { alias: 't' }));
      return positionsOf(await query.getMany());
    },
    async can(plans) {
      const query = repository.createQueryBuilder('t').where('t.position >= :authz_can0_0', { authz_can0_0: 0 });
      for (const [text, name, parameters] of can(plans, { ...NULLS, alias: 't' }))
        query.addSelect(text, name).setParameters(parameters);
      const { raw, entities } = await query.getRawAndEntities<CanRow>();
      return canRows(raw.map((row, index) => ({ ...row, position: entities[index]?.position as number })));
    },
    async masked(plans) {
      const masks = masksOf(plans);
      const query = repository.createQueryBuilder('t').select([]);
      for (const [text, name, parameters] of mask.columns(plans, masks, { ...TOLD, alias: 't' }))
        query.addSelect(text, name).setParameters(parameters);
      const [text, alias, parameters] = mask.source(plans, masks, { ...NULLS, alias: 's', others: ['position'] });
      const read = source.createQueryBuilder().select('*').from(text, alias).where('s.position >= 0');
      return [shownIn(await query.getRawMany()), shownIn(await read.setParameters(parameters).getRawMany())];
    },
    async selectCombined(combined) {
      const [found, count] = await repository.createQueryBuilder('t').where(where(combined, 't')).getManyAndCount();
      return { positions: positionsOf(found), count };
    },
    // Statements that change rows have the name of the table instead of an alias.
    update: (combined) =>
      repository
        .createQueryBuilder()
        .update()
        .set({ position: () => '999999 - position' })
        .where(where(combined, 'things'))
        .execute(),
    remove: (combined) => repository.createQueryBuilder().delete().where(where(combined, 'things')).execute(),
    end: () => source.destroy(),
  };
}

async function sequelize(options: SequelizeOptions, { columns, byProperty }: Things): Promise<Library> {
  const db = new Sequelize({ ...options, logging: false });
  const things = db.define(
    'Thing',
    {
      position: { type: DataTypes.INTEGER, primaryKey: true },
      ...mapped(columns, (field) => ({ type: DataTypes.TEXT, field })),
    },
    { tableName: 'things', timestamps: false },
  );
  const allowed = sequelizeAdapter(things, byProperty);
  const can = sequelizeCan(things, byProperty);
  const mask = sequelizeMask(things, byProperty);
  const where = ({ composition, plans, own }: Combined, alias = 'Thing'): WhereOptions =>
    composed<WhereOptions>(composition, {
      plan: (index, negated) => allowed(plans[index] as PlannedFilter, { alias, negated }),
      own: (index) => ({ position: [...(own[index] as readonly number[])] }),
      all: (parts) => ({ [Op.and]: parts }) as WhereOptions,
      any: (parts) => ({ [Op.or]: parts }) as WhereOptions,
      not: (part) => ({ [Op.not]: part }) as WhereOptions,
    });
  return {
    // Sequelize replaces what looks like a parameter in all of a statement with parameters.
    select: async (plans) =>
      positionsOf(
        await things.findAll({
          attributes: ['position'],
          where: { [Op.and]: plans.map((plan) => allowed(plan)) },
          raw: true,
          ...{ bind: { x: 'replaced' } },
        }),
      ),
    can: async (plans) =>
      canRows(
        (await things.findAll({
          attributes: ['position', ...can(plans, NULLS)],
          raw: true,
          ...{ bind: { x: 'replaced' } },
        })) as never,
      ),
    async masked(plans) {
      const masks = masksOf(plans) as never;
      const source = mask.source(plans, masks, { ...NULLS, alias: 's', others: ['position'] as never[] });
      const [rows] = await db.query(`SELECT * FROM ${source} WHERE s.position >= :least`, {
        replacements: { least: 0 },
      });
      return [
        shownIn(await things.findAll({ attributes: mask(plans, masks, TOLD), raw: true })),
        shownIn(rows as object[]),
      ];
    },
    selectCombined: async (combined) => ({
      positions: positionsOf(await things.findAll({ attributes: ['position'], where: where(combined), raw: true })),
      count: await things.count({ where: where(combined) }),
    }),
    // Statements that change rows have the name of the table instead of an alias.
    update: (combined) =>
      things.update({ position: literal('999999 - position') as never }, { where: where(combined, 'things') }),
    remove: (combined) => things.destroy({ where: where(combined, 'things') }),
    end: () => db.close(),
  };
}

/** The part of the package sqlite3 that Sequelize uses, over libsql. */
export const SEQUELIZE_OF_LIBSQL = {
  OPEN_READWRITE: 2,
  OPEN_CREATE: 4,
  Database: class {
    readonly filename: string;
    readonly #database;
    constructor(path: string, _mode: number, done: (error: unknown) => void) {
      this.filename = path;
      this.#database = new Database(path);
      setImmediate(done, null);
    }
    serialize(run: () => void): void {
      run();
    }
    run(sql: string, ...rest: readonly unknown[]): void {
      const done = rest.at(-1) as undefined | ((this: object, error: unknown) => void);
      try {
        const { changes } = this.#database.prepare(sql).run(...boundIn(rest));
        done?.call({ changes }, null);
      } catch (error) {
        if (done === undefined) throw error;
        done.call({}, error);
      }
    }
    all(sql: string, ...rest: readonly unknown[]): void {
      const done = rest.at(-1) as (this: object, error: unknown, rows?: readonly unknown[]) => void;
      let rows: readonly unknown[];
      try {
        rows = this.#database.prepare(sql).all(...boundIn(rest));
      } catch (error) {
        return done.call({}, error);
      }
      done.call({}, null, rows);
    }
    close(done?: (error: unknown) => void): void {
      this.#database.close();
      done?.(null);
    }
  },
};

/** The parameters before a callback. Sequelize names them `$1`, and libsql does so without the sign. */
function boundIn(rest: readonly unknown[]): readonly object[] {
  const [parameters] = rest;
  if (rest.length < 2 || parameters === undefined) return [];
  return [
    Object.fromEntries(Object.entries(parameters as object).map(([name, value]) => [name.replace(/^\$/, ''), value])),
  ];
}

async function mikroOrm(
  init: (options: Partial<MikroOrmOptions>) => Promise<MikroORM>,
  { columns, byProperty }: Things,
): Promise<Library> {
  const things = new MikroOrmSchema<{ position: number }>({
    name: 'Thing',
    tableName: 'things',
    properties: {
      position: { type: 'integer', primary: true },
      ...mapped(columns, (fieldName) => ({ type: 'text', fieldName, nullable: true })),
    } as never,
  });
  const orm = await init({ entities: [things], discovery: { disableDynamicFileAccess: true } });
  const allowed = mikroOrmAdapter(orm, things, byProperty as never);
  // Columns that are selected have no `?` in their names.
  const selected = Object.entries(byProperty.attributes).filter(
    ([, stored]) => 'relation' in stored || !columns[stored.column]?.includes('?'),
  );
  const named = { ...byProperty, attributes: Object.fromEntries(selected) };
  const can = mikroOrmCan(orm, things, named as never);
  const mask = mikroOrmMask(orm, things, named as never);
  const where = ({ composition, plans, own }: Combined, alias?: string): object =>
    composed<object>(composition, {
      plan: (index, negated) =>
        allowed(plans[index] as PlannedFilter, { ...(alias !== undefined && { alias }), negated }),
      own: (index) => ({ position: { $in: own[index] } }),
      all: ($and) => ({ $and }),
      any: ($or) => ({ $or }),
      not: ($not) => ({ $not }),
    });
  return {
    async select(plans) {
      const em = orm.em.fork();
      const [found, count] = await em.findAndCount(things, { $and: plans.map((plan) => allowed(plan)) } as never, {
        fields: ['position'],
      });
      if (count !== found.length) throw new Error(`${found.length} rows, and ${count} counted`);
      return positionsOf(found);
    },
    async can(plans) {
      const em = orm.em.fork() as unknown as { createQueryBuilder: SqlEntityManager['createQueryBuilder'] };
      const query = em.createQueryBuilder(things, 't');
      // With a parameter of its own, which must not become a part of a string of the columns.
      query.select(['position', ...can(plans, { ...NULLS, alias: 't' })] as never).where({ position: { $gte: 0 } });
      return canRows(await query.execute('all'));
    },
    async masked(plans) {
      const em = orm.em.fork() as unknown as { createQueryBuilder: SqlEntityManager['createQueryBuilder'] };
      const columns = mask(plans, masksOf(plans) as never, { ...TOLD, alias: 't' });
      const others = { ...NULLS, alias: 's', others: ['position'] as never[] };
      const { sql, params } = mask.source(plans, masksOf(plans) as never, others);
      return [
        shownIn(
          await em
            .createQueryBuilder(things, 't')
            .select(columns as never)
            .where({ position: { $gte: 0 } } as never)
            .execute('all', false),
        ),
        shownIn(
          await (em as unknown as SqlEntityManager).execute(`select * from ${sql} where s.position >= ?`, [
            ...params,
            0,
          ]),
        ),
      ];
    },
    async selectCombined(combined) {
      const [found, count] = await orm.em.fork().findAndCount(things, where(combined) as never, {
        fields: ['position'],
      });
      return { positions: positionsOf(found), count };
    },
    update: (combined) =>
      orm.em
        .fork()
        .nativeUpdate(things, where(combined, 'things') as never, { position: raw('999999 - position') } as never),
    remove: (combined) => orm.em.fork().nativeDelete(things, where(combined, 'things') as never),
    end: () => orm.close(),
  };
}

function mapped<T>(
  columns: { readonly [property: string]: string },
  definition: (column: string) => T,
): { [property: string]: T } {
  return Object.fromEntries(Object.entries(columns).map(([property, column]) => [property, definition(column)]));
}

/** Actions without SQL have a column that is NULL. */
const NULLS = { onRefused: 'null' } as const;
const TOLD = { ...NULLS, tell: true } as const;

function canRows(rows: readonly object[]): ReadonlyMap<number, CanRow> {
  return new Map((rows as readonly CanRow[]).map(({ position, ...fields }) => [Number(position), fields]));
}

/** The position as what the first action shows. */
function masksOf(plans: PlannedCapabilities): { readonly position: string } {
  return { position: Object.keys(plans)[0] as string };
}

/** The positions that rows show. What they tell of the action must be the same. */
function shownIn(rows: readonly object[]): readonly number[] {
  const shown: number[] = [];
  for (const { position, ...told } of rows as readonly (CanRow & { readonly position: number | null })[]) {
    if (position !== null) shown.push(Number(position));
    for (const value of Object.values(told))
      if (value !== null && Boolean(value) !== (position !== null))
        throw new Error(`the position is ${position}, and ${JSON.stringify(told)} is told`);
  }
  return shown;
}

function positionsOf(rows: readonly object[]): readonly number[] {
  return rows.map((row) => Number((row as { readonly position: unknown }).position));
}
