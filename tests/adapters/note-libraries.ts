/** The rows of the conformance kit in SQLite, as each library for SQL maps, combines, counts and reads them. */
import { readFileSync } from 'node:fs';
import { EntitySchema as MikroOrmSchema } from '@mikro-orm/core';
import { MikroORM } from '@mikro-orm/libsql';
import { and, inArray, or, type SQL } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/sql-js';
import { integer, real, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import knexOf, { type Knex } from 'knex';
import { type Expression, type ExpressionBuilder, Kysely, type SqlBool, SqliteDialect } from 'kysely';
import Database from 'libsql';
import { DataTypes, Op, Sequelize } from 'sequelize';
import initSqlJs from 'sql.js';
import { Brackets, DataSource, EntitySchema } from 'typeorm';
import { type Combined, HIDDEN, ROWS } from '../../packages/adapters/conformance/index.js';
import { drizzleAdapter, type PlannedFilter } from '../../packages/adapters/drizzle.js';
import { knexAdapter } from '../../packages/adapters/knex.js';
import { kyselyAdapter } from '../../packages/adapters/kysely.js';
import { mikroOrmAdapter } from '../../packages/adapters/mikro-orm.js';
import { sequelizeAdapter } from '../../packages/adapters/sequelize.js';
import { typeormAdapter } from '../../packages/adapters/typeorm.js';
import { KnexOfLibsql, SEQUELIZE_OF_LIBSQL } from './libraries.js';

const RELATED = { on: { note_id: 'id' }, where: { deleted: 0 } } as const;
const TEXT = { type: 'text' } as const;

export const MAPPING = {
  dialect: 'sqlite',
  id: { column: 'id', type: 'text' },
  attributes: {
    owner: { column: 'owner', ...TEXT },
    status: { column: 'status', ...TEXT },
    amount: { column: 'amount', type: 'integer' },
    price: { column: 'price', type: 'number', null: 'null' },
    shared: { column: 'shared', type: 'boolean' },
    tags: { column: 'tags', type: 'list', null: 'never' },
    home: {
      relation: 'one',
      table: 'homes',
      ...RELATED,
      columns: { city: { column: 'city', ...TEXT }, size: { column: 'size', type: 'integer' } },
    },
    shares: {
      relation: 'many',
      table: 'shares',
      ...RELATED,
      columns: { user: { column: 'user', ...TEXT, null: 'never' }, role: { column: 'role', ...TEXT } },
    },
  },
} as const;

/** Writes the typed rows, with related rows that the application hides, to a file. */
export function writeNotes(path: string): void {
  const database = new Database(path);
  database.exec(`CREATE TABLE notes (id text PRIMARY KEY, owner text, status text, amount integer, price real, shared boolean, tags json NOT NULL);
    CREATE TABLE homes (id integer PRIMARY KEY, note_id text, city text, size integer, deleted integer);
    CREATE TABLE shares (id integer PRIMARY KEY, note_id text, user text NOT NULL, role text, deleted integer)`);
  const insert = (table: string, values: readonly unknown[]): unknown =>
    database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join(', ')})`).run([...values]);
  for (const { id, isTyped, attr } of ROWS) {
    if (!isTyped) continue;
    const {
      owner = null,
      status = null,
      amount = null,
      price,
      shared = null,
      tags,
      home,
      shares,
    } = attr as unknown as Note;
    insert('notes', [id, owner, status, amount, price, shared === null ? null : Number(shared), JSON.stringify(tags)]);
    for (const [{ city = null, size = null }, deleted] of [[home ?? HIDDEN.home, home === undefined ? 1 : 0] as const])
      insert('homes', [null, id, city, size, deleted]);
    const all = [...shares.map((one) => [one, 0] as const), ...HIDDEN.shares.map((one) => [one, 1] as const)];
    for (const [{ user, role = null }, deleted] of all) insert('shares', [null, id, user, role, deleted]);
  }
  database.close();
}

interface Note {
  readonly owner?: string;
  readonly status?: string;
  readonly amount?: number;
  readonly price: number | null;
  readonly shared?: boolean;
  readonly tags: readonly string[];
  readonly home?: { readonly city?: string | null; readonly size?: number | null };
  readonly shares: readonly { readonly user: string; readonly role?: string | null }[];
}

/** A library with the table of notes. */
export interface NoteLibrary {
  /** The rows of a combination, with all columns. */
  select(combined: Combined): Promise<readonly { readonly id: string }[]>;
  count(combined: Combined): Promise<number>;
  /** @param row a row that the library returned, with the related rows. */
  attributesOf(row: object): object;
  /** The related rows of a note. */
  related(table: 'homes' | 'shares', id: string): Promise<readonly object[]>;
  /** Creates an adapter by another mapping. */
  create(mapping: object): object;
  end(): Promise<unknown>;
}

/** A combination in the words of a library. */
interface Words<Condition> {
  plan(plan: PlannedFilter): Condition;
  ids(ids: readonly string[]): Condition;
  and(parts: readonly Condition[]): Condition;
  or(parts: readonly Condition[]): Condition;
}

/** Conditions of adapters for SQL are not negated. */
function inWords<Condition>(combined: Combined, words: Words<Condition>): Condition {
  if ('plan' in combined) return words.plan(combined.plan);
  if ('ids' in combined) return words.ids(combined.ids);
  if ('not' in combined) throw new Error('a negation');
  return 'and' in combined
    ? words.and(combined.and.map((part) => inWords(part, words)))
    : words.or(combined.or.map((part) => inWords(part, words)));
}

export const NOTE_LIBRARIES: { readonly [name: string]: (path: string) => Promise<NoteLibrary> } = {
  async Drizzle(path) {
    const { Database: SqlJs } = await initSqlJs();
    const database = new SqlJs(readFileSync(path));
    const notes = sqliteTable('notes', {
      id: text().primaryKey(),
      owner: text(),
      status: text(),
      amount: integer(),
      price: real(),
      shared: integer({ mode: 'boolean' }),
      tags: text({ mode: 'json' }).notNull(),
    });
    const homes = sqliteTable('homes', { note_id: text(), city: text(), size: integer(), deleted: integer() });
    const shares = sqliteTable('shares', {
      note_id: text(),
      user: text().notNull(),
      role: text(),
      deleted: integer(),
    });
    const tables = { homes, shares };
    const db = drizzle(database as never);
    const allowed = drizzleAdapter(notes, MAPPING, tables);
    const where = (combined: Combined): SQL =>
      inWords<SQL>(combined, {
        plan: allowed,
        ids: (ids) => inArray(notes.id, [...ids]),
        and: (parts) => and(...parts) as SQL,
        or: (parts) => or(...parts) as SQL,
      });
    return {
      select: async (combined) => db.select().from(notes).where(where(combined)),
      count: async (combined) => db.$count(notes, where(combined)),
      attributesOf: (row) => allowed.attributesOf(row as never),
      related: async (table, id) =>
        db
          .select()
          .from(tables[table])
          .where(inArray(tables[table].note_id, [id])) as unknown as object[],
      create: (mapping) => drizzleAdapter(notes, mapping as never, tables),
      end: async () => database.close(),
    };
  },
  async Kysely(path) {
    type Row = { readonly [column: string]: unknown };
    type Tables = { notes: Row & { readonly id: string }; homes: Row; shares: Row };
    const db = new Kysely<Tables>({ dialect: new SqliteDialect({ database: new Database(path) as never }) });
    const allowed = kyselyAdapter<Tables, 'notes'>('notes', MAPPING as never);
    const where =
      (combined: Combined) =>
      (eb: ExpressionBuilder<Tables, 'notes'>): Expression<SqlBool> =>
        inWords<Expression<SqlBool>>(combined, {
          plan: (plan) => allowed(plan),
          ids: (ids) => eb('id', 'in', ids),
          and: (parts) => eb.and(parts),
          or: (parts) => eb.or(parts),
        });
    return {
      select: (combined) => db.selectFrom('notes').selectAll().where(where(combined)).execute() as never,
      async count(combined) {
        const counted = db.selectFrom('notes').where(where(combined));
        return Number((await counted.select(({ fn }) => fn.countAll().as('n')).executeTakeFirstOrThrow()).n);
      },
      attributesOf: (row) => allowed.attributesOf(row as never),
      create: (mapping) => kyselyAdapter<Tables, 'notes'>('notes', mapping as never),
      related: (table, id) => db.selectFrom(table).selectAll().where('note_id', '=', id).execute(),
      end: () => db.destroy(),
    };
  },
  async Knex(filename) {
    const db = knexOf({ client: KnexOfLibsql as never, connection: { filename }, useNullAsDefault: true });
    const allowed = knexAdapter<{ readonly [column: string]: unknown }>('notes', MAPPING as never);
    type Where = (query: Knex.QueryBuilder) => void;
    const where = (combined: Combined): Where =>
      inWords<Where>(combined, {
        plan: (plan) => allowed(plan),
        ids: (ids) => (query) => void query.whereIn('id', ids),
        and: (parts) => (query) => void parts.map((part) => query.where(part)),
        or: (parts) => (query) => void parts.map((part) => query.orWhere(part)),
      });
    return {
      select: async (combined) => (await db('notes').where(where(combined))) as never,
      count: async (combined) => Number((await db('notes').where(where(combined)).count({ n: '*' }))[0]?.['n']),
      attributesOf: (row) => allowed.attributesOf(row as never),
      create: (mapping) => knexAdapter<{ readonly [column: string]: unknown }>('notes', mapping as never),
      related: async (table, id) => db(table).where({ note_id: id }),
      end: () => db.destroy(),
    };
  },
  async TypeORM(database) {
    const nullable = { nullable: true } as const;
    const id = { type: 'integer', primary: true } as const;
    const related = { id, note_id: { type: 'text', ...nullable }, deleted: { type: 'integer', ...nullable } } as const;
    const notes = new EntitySchema<{ id: string; [column: string]: unknown }>({
      name: 'Note',
      tableName: 'notes',
      columns: {
        id: { type: 'text', primary: true },
        owner: { type: 'text', ...nullable },
        status: { type: 'text', ...nullable },
        amount: { type: 'integer', ...nullable },
        price: { type: 'real', ...nullable },
        shared: { type: 'boolean', ...nullable },
        tags: { type: 'simple-json' },
      },
    });
    const homes = new EntitySchema<{ [column: string]: unknown }>({
      name: 'Home',
      tableName: 'homes',
      columns: { ...related, city: { type: 'text', ...nullable }, size: { type: 'integer', ...nullable } },
    });
    const shares = new EntitySchema<{ [column: string]: unknown }>({
      name: 'Share',
      tableName: 'shares',
      columns: { ...related, user: { type: 'text' }, role: { type: 'text', ...nullable } },
    });
    const source = await new DataSource({
      type: 'better-sqlite3',
      database,
      driver: Database,
      entities: [notes, homes, shares],
    }).initialize();
    const tables = { homes: source.getRepository(homes), shares: source.getRepository(shares) };
    const repository = source.getRepository(notes);
    const allowed = typeormAdapter(repository, MAPPING as never, tables);
    // A parameter has its name in the whole query.
    let parameters = 0;
    const where = (combined: Combined): Brackets =>
      inWords<Brackets>(combined, {
        plan: (plan) => allowed(plan),
        ids: (ids) => {
          parameters += 1;
          const name = `own${parameters}`;
          return new Brackets((query) => query.where(`Note.id IN (:...${name})`, { [name]: ids }));
        },
        and: (parts) => new Brackets((query) => void parts.map((part) => query.andWhere(part))),
        or: (parts) => new Brackets((query) => void parts.map((part) => query.orWhere(part))),
      });
    const query = (combined: Combined) => repository.createQueryBuilder().where(where(combined));
    return {
      select: (combined) => query(combined).getMany(),
      count: (combined) => query(combined).getCount(),
      attributesOf: (row) => allowed.attributesOf(row as never),
      create: (mapping) => typeormAdapter(repository, mapping as never, tables),
      related: (table, note_id) => tables[table].findBy({ note_id }),
      end: () => source.destroy(),
    };
  },
  async Sequelize(storage) {
    const db = new Sequelize({ dialect: 'sqlite', storage, dialectModule: SEQUELIZE_OF_LIBSQL, logging: false });
    const plain = { timestamps: false } as const;
    const related = { note_id: DataTypes.TEXT, deleted: DataTypes.INTEGER };
    const notes = db.define(
      'Note',
      {
        id: { type: DataTypes.TEXT, primaryKey: true },
        owner: DataTypes.TEXT,
        status: DataTypes.TEXT,
        amount: DataTypes.INTEGER,
        price: DataTypes.DOUBLE,
        shared: DataTypes.BOOLEAN,
        tags: { type: DataTypes.JSON, allowNull: false },
      },
      { tableName: 'notes', ...plain },
    );
    const homes = db.define(
      'Home',
      { ...related, city: DataTypes.TEXT, size: DataTypes.INTEGER },
      { tableName: 'homes', ...plain },
    );
    const shares = db.define(
      'Share',
      { ...related, user: { type: DataTypes.TEXT, allowNull: false }, role: DataTypes.TEXT },
      { tableName: 'shares', ...plain },
    );
    const tables = { homes, shares };
    const allowed = sequelizeAdapter(notes, MAPPING as never, tables);
    const where = (combined: Combined): object =>
      inWords<object>(combined, {
        plan: (plan) => allowed(plan),
        ids: (ids) => ({ id: ids }),
        and: (parts) => ({ [Op.and]: parts }),
        or: (parts) => ({ [Op.or]: parts }),
      });
    return {
      select: async (combined) =>
        (await notes.findAll({ where: where(combined) as never })).map((one) => one.get() as { id: string }),
      count: async (combined) => Number(await notes.count({ where: where(combined) as never })),
      attributesOf: (row) => allowed.attributesOf(row as never),
      create: (mapping) => sequelizeAdapter(notes, mapping as never, tables),
      related: async (table, note_id) => (await tables[table].findAll({ where: { note_id } })).map((one) => one.get()),
      end: () => db.close(),
    };
  },
  async MikroORM(dbName) {
    const nullable = { nullable: true } as const;
    const id = { type: 'integer', primary: true } as const;
    const related = {
      id,
      note_id: { type: 'text', fieldName: 'note_id', ...nullable },
      deleted: { type: 'integer', ...nullable },
    };
    const notes = new MikroOrmSchema<{ id: string }>({
      name: 'Note',
      tableName: 'notes',
      properties: {
        id: { type: 'text', primary: true },
        owner: { type: 'text', ...nullable },
        status: { type: 'text', ...nullable },
        amount: { type: 'integer', ...nullable },
        price: { type: 'double', ...nullable },
        shared: { type: 'boolean', ...nullable },
        tags: { type: 'json' },
      } as never,
    });
    const homes = new MikroOrmSchema<{ id: number }>({
      name: 'Home',
      tableName: 'homes',
      properties: { ...related, city: { type: 'text', ...nullable }, size: { type: 'integer', ...nullable } } as never,
    });
    const shares = new MikroOrmSchema<{ id: number }>({
      name: 'Share',
      tableName: 'shares',
      properties: { ...related, user: { type: 'text' }, role: { type: 'text', ...nullable } } as never,
    });
    const tables = { homes, shares };
    const orm = await MikroORM.init({
      dbName,
      entities: [notes, homes, shares],
      discovery: { disableDynamicFileAccess: true },
    });
    const allowed = mikroOrmAdapter(orm, notes, MAPPING as never, tables as never);
    const where = (combined: Combined): object =>
      inWords<object>(combined, {
        plan: (plan) => allowed(plan),
        ids: (ids) => ({ id: { $in: ids } }),
        and: ($and) => ({ $and }),
        or: ($or) => ({ $or }),
      });
    return {
      select: (combined) => orm.em.fork().find(notes, where(combined) as never),
      count: (combined) => orm.em.fork().count(notes, where(combined) as never),
      attributesOf: (row) => allowed.attributesOf(row as never),
      create: (mapping) => mikroOrmAdapter(orm, notes, mapping as never, tables as never),
      related: (table, note_id) => orm.em.fork().find(tables[table] as typeof homes, { note_id } as never),
      end: () => orm.close(),
    };
  },
};
