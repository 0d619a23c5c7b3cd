import { readFileSync } from 'node:fs';
import {
  and,
  asc,
  desc,
  eq,
  getTableColumns,
  gte,
  inArray,
  isNull,
  lt,
  or,
  relations,
  type SQL,
  sql,
} from 'drizzle-orm';
import * as my from 'drizzle-orm/mysql-core';
import { drizzle as drizzleOfMysql } from 'drizzle-orm/mysql2';
import { drizzle as drizzleOfPostgresql } from 'drizzle-orm/node-postgres';
import * as pg from 'drizzle-orm/pg-core';
import { drizzle as drizzleOfSqlite } from 'drizzle-orm/sql-js';
import * as lite from 'drizzle-orm/sqlite-core';
import { createPool as createPromisePool } from 'mysql2/promise';
import { Pool } from 'pg';
import initSqlJs from 'sql.js';
import { drizzleAdapter, drizzleCan } from '../../../packages/adapters/drizzle.js';
import type { SqlDialect } from '../../../runtime/residual/sql/index.js';
import { type Column, columnsIn, DOCUMENT, FOLDER, type Kind, mappingOf, SHARE } from './tables.js';
import {
  type Asked,
  type ComposingLibrary,
  type OpenEach,
  LATER,
  PAGE,
  byPosition,
  pairs,
  positions,
  rolledBack,
  tally,
  tallyJoined,
  withRelated,
  camel,
} from './composing.js';

/** Drizzle in each database. */
export const DRIZZLE: OpenEach = {
  async postgresql(connection) {
    const pool = new Pool(connection);
    const make: Make = (name, columns) => pg.pgTable(name, columns as never) as never;
    const kinds: Kinds = {
      text: (name) => pg.text(name),
      integer: (name) => pg.integer(name),
      large: (name) => pg.bigint(name, { mode: 'bigint' }),
      number: (name) => pg.doublePrecision(name),
      decimal: (name) => pg.numeric(name),
      boolean: (name) => pg.boolean(name),
      time: (name) => pg.timestamp(name, { withTimezone: true }),
      uuid: (name) => pg.uuid(name),
      list: (name) => pg.jsonb(name),
      json: (name) => pg.jsonb(name),
    };
    const tables = drizzleTables(make, kinds, 'postgresql');
    return drizzle(drizzleOfPostgresql(pool, { schema: tables.schema }) as never, tables, 'postgresql', () =>
      pool.end(),
    );
  },
  async mysql(connection) {
    const pool = createPromisePool(connection);
    const make: Make = (name, columns) => my.mysqlTable(name, columns as never) as never;
    const kinds: Kinds = {
      text: (name) => my.varchar(name, { length: 100 }),
      integer: (name) => my.int(name),
      large: (name) => my.bigint(name, { mode: 'bigint' }),
      number: (name) => my.double(name),
      decimal: (name) => my.decimal(name, { precision: 40, scale: 20 }),
      boolean: (name) => my.boolean(name),
      time: (name) => my.datetime(name, { fsp: 6 }),
      uuid: (name) => my.customType<{ data: string }>({ dataType: () => 'uuid' })(name),
    };
    const tables = drizzleTables(make, kinds, 'mysql');
    return drizzle(drizzleOfMysql(pool, { schema: tables.schema, mode: 'default' }) as never, tables, 'mysql', () =>
      pool.end(),
    );
  },
  async sqlite(path) {
    const { Database: SqlJs } = await initSqlJs();
    const database = new SqlJs(readFileSync(path));
    const make: Make = (name, columns) => lite.sqliteTable(name, columns as never) as never;
    const kinds: Kinds = {
      text: (name) => lite.text(name),
      integer: (name) => lite.integer(name),
      large: (name) => lite.integer(name),
      number: (name) => lite.real(name),
      decimal: (name) => lite.numeric(name),
      boolean: (name) => lite.integer(name, { mode: 'boolean' }),
      time: (name) => lite.integer(name, { mode: 'timestamp_ms' }),
      uuid: (name) => lite.text(name),
      list: (name) => lite.text(name, { mode: 'json' }),
      json: (name) => lite.text(name, { mode: 'json' }),
    };
    const tables = drizzleTables(make, kinds, 'sqlite');
    return drizzle(drizzleOfSqlite(database as never, { schema: tables.schema }) as never, tables, 'sqlite', async () =>
      database.close(),
    );
  },
};

type Make = (name: string, columns: object) => lite.SQLiteTable;
type Kinds = { readonly [K in Kind]?: (name: string) => unknown };

function drizzleTables(make: Make, kinds: Kinds, of: SqlDialect) {
  const columns = (list: readonly Column[]): object =>
    Object.fromEntries(
      columnsIn(list, of).map(({ property, column, kind, null: absence }) => {
        const built = kinds[kind]?.(column) as { notNull(): unknown };
        return [property, absence === 'never' ? built.notNull() : built];
      }),
    );
  const text = (name: string) =>
    kinds.text?.(name) as lite.SQLiteTextBuilderInitial<'id', [string, ...string[]], number | undefined>;
  const integer = (name: string) => kinds.integer?.(name) as lite.SQLiteIntegerBuilderInitial<'id'>;
  const deletedAt = (): object => kinds.time?.('deleted_at') as object;
  const documents = make('documents', {
    id: text('id').primaryKey(),
    position: integer('position').notNull(),
    touched: integer('touched'),
    folderId: text('folder_id'),
    ...columns(DOCUMENT),
    deletedAt: deletedAt(),
  });
  const folders = make('folders', { id: text('id').primaryKey(), ...columns(FOLDER), deletedAt: deletedAt() });
  const shares = make('shares', {
    id: integer('id').primaryKey(),
    documentId: text('document_id'),
    ...columns(SHARE),
    deletedAt: deletedAt(),
  });
  const [document, folder, share] = [documents, folders, shares].map(
    (table) => getTableColumns(table) as { [name: string]: lite.SQLiteColumn },
  );
  const schema = {
    documents,
    folders,
    shares,
    documentRelations: relations(documents, ({ one, many }) => ({
      folder: one(folders, { fields: [document?.['folderId'] as never], references: [folder?.['id'] as never] }),
      shares: many(shares),
    })),
    shareRelations: relations(shares, ({ one }) => ({
      document: one(documents, { fields: [share?.['documentId'] as never], references: [document?.['id'] as never] }),
    })),
  };
  return { schema, documents, folders, shares };
}

async function drizzle(
  db: ReturnType<typeof drizzleOfSqlite>,
  { documents, folders, shares }: ReturnType<typeof drizzleTables>,
  of: SqlDialect,
  end: () => Promise<unknown>,
): Promise<ComposingLibrary> {
  type Columns = { readonly [name: string]: lite.SQLiteColumn };
  const columnsOf = (table: object): Columns => getTableColumns(table as lite.SQLiteTable) as Columns;
  const column = (columns: Columns, name: string): lite.SQLiteColumn => columns[name] as lite.SQLiteColumn;
  const mapping = mappingOf(of, 'milliseconds', camel);
  const related = { folders, shares };
  const allowed = drizzleAdapter(documents, mapping as never, related);
  const can = drizzleCan(documents, mapping as never, related);
  const [d, f, s] = [columnsOf(documents), columnsOf(folders), columnsOf(shares)];
  const position = column(d, 'position');
  const scope = (
    { range }: Asked,
    { position: at = position, deletedAt = column(d, 'deletedAt') }: Columns = {},
  ): SQL => and(isNull(deletedAt), gte(at, range[0]), lt(at, range[1])) as SQL;
  const where = (asked: Asked): SQL => and(scope(asked), allowed(asked.plan)) as SQL;
  const columns = ({ cans }: Asked): { readonly canA: SQL.Aliased; readonly canB: SQL.Aliased } => can(cans) as never;
  const from = (fields: object = { position }) => db.select(fields as { position: typeof position }).from(documents);
  const aliasOf = (name: string): Columns & lite.SQLiteTable =>
    (({ postgresql: pg.alias, mysql: my.alias, sqlite: lite.alias })[of] as (table: object, name: string) => never)(
      documents,
      name,
    );
  const { query } = db as never as {
    readonly query: { readonly documents: { findMany(options: object): Promise<object[]> } };
  };
  const grouped = async (rows: unknown): Promise<readonly number[]> => {
    const { canA } = rows as { readonly canA: SQL };
    return tally(
      await db
        .select({ can: canA, count: sql`count(*)` })
        .from(rows as lite.SQLiteTable)
        .groupBy(canA),
    );
  };
  return {
    times: 'milliseconds',
    async resources() {
      // Relational queries need LATERAL, which MariaDB lacks; those of sql.js have the names of columns.
      if (of === 'postgresql')
        return byPosition(await query.documents.findMany({ with: { folder: true, shares: true } }), allowed.resourceOf);
      const loaded = await Promise.all([documents, folders, shares].map((table) => db.select().from(table)));
      const [ofDocuments = [], ofFolders = [], ofShares = []] = loaded as object[][];
      return byPosition(withRelated(ofDocuments, ofFolders, ofShares, ['folderId', 'documentId']), allowed.resourceOf);
    },
    ways: {
      select: async (asked) => positions(await from().where(where(asked))),
      or: async (asked) =>
        positions(
          await from().where(and(isNull(column(d, 'deletedAt')), or(inArray(position, [...asked.few]), where(asked)))),
        ),
      both: async (asked) => positions(await from().where(and(allowed(asked.other), where(asked)))),
      negated: async (asked) =>
        positions(await from().where(and(scope(asked), allowed(asked.plan, { negated: true })))),
      page: async (asked) =>
        positions(await from().where(where(asked)).orderBy(position).limit(PAGE.size).offset(PAGE.skipped)),
      count: (asked) => db.$count(documents, where(asked)),
      'inner join': async (asked) =>
        positions(
          await db
            .selectDistinct({ position })
            .from(documents)
            .innerJoin(shares, eq(column(s, 'documentId'), column(d, 'id')))
            .where(and(isNull(column(s, 'deletedAt')), where(asked))),
        ),
      'left join': async (asked) =>
        positions(
          await from()
            .leftJoin(folders, eq(column(f, 'id'), column(d, 'folderId')))
            .where(where(asked)),
        ),
      'self join': async (asked) => {
        const next = aliasOf('next');
        return positions(
          await from()
            .innerJoin(next, sql`${next['position']} = ${position} + 1`)
            .where(and(isNull(next['deletedAt'] as never), where(asked), allowed(asked.other, { alias: 'next' }))),
        );
      },
      subquery: async (asked) => {
        const t = aliasOf('t');
        const inner = db.select({ id: t['id'] as lite.SQLiteColumn }).from(t);
        return positions(
          await from().where(
            inArray(column(d, 'id'), inner.where(and(scope(asked, t), allowed(asked.plan, { alias: 't' }))) as never),
          ),
        );
      },
      through: async (asked) =>
        positions(
          await from()
            .innerJoin(folders, eq(column(f, 'id'), column(d, 'folderId')))
            .where(and(isNull(column(f, 'deletedAt')), where(asked))),
        ),
      ...(of === 'postgresql' && {
        included: async (asked) =>
          positions(
            await query.documents.findMany({
              where: where(asked),
              with: { folder: true, shares: true },
              orderBy: asc(position),
              limit: PAGE.size,
              offset: PAGE.skipped,
            }),
          ),
      }),
      async update(asked) {
        await db
          .update(documents)
          .set({ touched: 1 } as never)
          .where(where(asked));
        const found = positions(await from().where(eq(column(d, 'touched'), 1)));
        await db
          .update(documents)
          .set({ touched: null } as never)
          .where(eq(column(d, 'touched'), 1));
        return found;
      },
      delete: (asked) =>
        rolledBack(async (fail) => {
          // Transactions of SQLite are not asynchronous.
          if (of === 'sqlite') return db.transaction((tx) => fail(left(tx, asked)));
          return (db as never as ReturnType<typeof drizzleOfPostgresql>).transaction(async (tx) => {
            await tx.delete(documents as never).where(where(asked));
            return fail(positions(await tx.select({ position: position as never }).from(documents as never)));
          });
        }),
      'can: order': async (asked) =>
        positions(
          await from({ position, ...columns(asked) })
            .where(scope(asked))
            .orderBy(desc(sql.identifier('canA')), position)
            .limit(LATER),
        ),
      'can: group': (asked) => grouped(from(columns(asked)).where(scope(asked)).as('r')),
      'can: distinct': async (asked) =>
        pairs(await db.selectDistinct(columns(asked)).from(documents).where(scope(asked))),
      'can: derived table': async (asked) => {
        const rows = from({ position, ...columns(asked) })
          .where(scope(asked))
          .as('r') as never as { position: SQL; canA: SQL };
        return positions(
          await db
            .select({ position: rows.position })
            .from(rows as never)
            .where(rows.canA),
        );
      },
      'can: outer join': async (asked) =>
        tallyJoined(
          await db
            .select({ document: column(d, 'id'), ...columns(asked) })
            .from(shares)
            .leftJoin(documents, and(eq(column(s, 'documentId'), column(d, 'id')), scope(asked))),
        ),
      'can: having': async (asked) =>
        positions(
          await from({ position, ...columns(asked) })
            .where(scope(asked))
            .groupBy(...Object.values(d))
            .having(columns(asked).canA.sql as SQL),
        ),
    },
    end,
  };

  function left(tx: Parameters<Parameters<typeof db.transaction>[0]>[0], asked: Asked): readonly number[] {
    tx.delete(documents).where(where(asked)).run();
    return positions(tx.select({ position }).from(documents).all());
  }
}
