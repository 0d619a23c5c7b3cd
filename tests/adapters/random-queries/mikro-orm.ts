import { EntitySchema as MikroOrmSchema, type MikroORM, raw } from '@mikro-orm/core';
import { MikroORM as MikroOrmOfSqlite } from '@mikro-orm/libsql';
import { MikroORM as MikroOrmOfMysql } from '@mikro-orm/mysql';
import { MikroORM as MikroOrmOfPostgresql, type SqlEntityManager } from '@mikro-orm/postgresql';
import { mikroOrmAdapter, mikroOrmCan } from '../../../packages/adapters/mikro-orm.js';
import type { SqlDialect } from '../../../runtime/residual/sql/index.js';
import { type Column, columnsIn, DOCUMENT, FOLDER, type Kind, mappingOf, SHARE } from './tables.js';
import {
  type Asked,
  type ComposingLibrary,
  type OpenEach,
  type Row,
  LATER,
  PAGE,
  byPosition,
  distinctOf,
  pairs,
  positions,
  rolledBack,
  tally,
  camel,
} from './composing.js';

/** MikroORM in each database. */
export const MIKRO_ORM: OpenEach = {
  postgresql: ({ host, user, database }) =>
    mikroOrm(
      (options) => MikroOrmOfPostgresql.init({ ...options, host, user, dbName: database } as never),
      'postgresql',
    ),
  mysql: ({ socketPath, user, database }) =>
    mikroOrm(
      (options) =>
        MikroOrmOfMysql.init({
          ...options,
          user,
          dbName: database,
          forceUtcTimezone: true,
          driverOptions: { connection: { socketPath } },
        } as never),
      'mysql',
    ),
  sqlite: (dbName) => mikroOrm((options) => MikroOrmOfSqlite.init({ ...options, dbName } as never), 'sqlite'),
};

async function mikroOrm(init: (options: object) => Promise<MikroORM>, of: SqlDialect): Promise<ComposingLibrary> {
  const types: { readonly [K in Kind]: object } = {
    text: of === 'mysql' ? { type: 'string', length: 100 } : { type: 'text' },
    integer: { type: 'integer' },
    large: { type: 'bigint' },
    number: { type: 'double' },
    decimal: { type: 'decimal', ...(of === 'mysql' && { precision: 40, scale: 20 }) },
    boolean: { type: 'boolean' },
    time: { type: 'datetime', ...(of === 'mysql' && { columnType: 'datetime(6)' }) },
    uuid:
      of === 'mysql' ? { type: 'string', columnType: 'uuid' } : of === 'sqlite' ? { type: 'text' } : { type: 'uuid' },
    list: { type: 'json' },
    json: { type: 'json' },
  };
  const columns = (list: readonly Column[]): object =>
    Object.fromEntries(
      columnsIn(list, of).map(({ property, column, kind, null: absence }) => [
        property,
        { ...types[kind], fieldName: column, nullable: absence !== 'never' },
      ]),
    );
  const deleted = {
    deletedAt: { ...types.time, fieldName: 'deleted_at', nullable: true },
  };
  const filters = { live: { name: 'live', cond: { deletedAt: null }, default: true } } as never;
  type Entity = { id: string; position: number };
  const documents = new MikroOrmSchema<Entity>({
    name: 'Document',
    tableName: 'documents',
    filters,
    properties: {
      id: { ...types.text, primary: true },
      position: { type: 'integer' },
      touched: { type: 'integer', nullable: true },
      folderId: { ...types.text, fieldName: 'folder_id', nullable: true, persist: true },
      folder: { kind: 'm:1', entity: 'Folder', joinColumn: 'folder_id', nullable: true, persist: false },
      shares: { kind: '1:m', entity: 'Share', mappedBy: 'document' },
      ...columns(DOCUMENT),
      ...deleted,
    } as never,
  });
  const folders = new MikroOrmSchema<Entity>({
    name: 'Folder',
    tableName: 'folders',
    filters,
    properties: {
      id: { ...types.text, primary: true },
      documents: { kind: '1:m', entity: 'Document', mappedBy: 'folder' },
      ...columns(FOLDER),
      ...deleted,
    } as never,
  });
  const shares = new MikroOrmSchema<Entity>({
    name: 'Share',
    tableName: 'shares',
    filters,
    properties: {
      id: { type: 'integer', primary: true },
      documentId: { ...types.text, fieldName: 'document_id' },
      document: { kind: 'm:1', entity: 'Document', joinColumn: 'document_id', persist: false },
      ...columns(SHARE),
      ...deleted,
    } as never,
  });
  const orm = await init({ entities: [documents, folders, shares], discovery: { disableDynamicFileAccess: true } });
  const mapping = mappingOf(of, 'milliseconds', camel) as never;
  const allowed = mikroOrmAdapter(orm, documents, mapping, { folders, shares } as never);
  const can = mikroOrmCan(orm, documents, mapping, { folders, shares } as never);
  const scope = ({ range }: Asked): object => ({ position: { $gte: range[0], $lt: range[1] } });
  const where = (asked: Asked): never => ({ $and: [scope(asked), allowed(asked.plan)] }) as never;
  const find = async (condition: object, options: object = {}): Promise<readonly number[]> =>
    positions(await orm.em.fork().find(documents, condition as never, options));
  const builder = (entity: object = documents, alias = 't') =>
    (orm.em.fork() as unknown as SqlEntityManager).createQueryBuilder(entity as typeof documents, alias);
  const columnsOf = ({ cans }: Asked) => can(cans, { alias: 't' }) as never[];
  const quote = of === 'mysql' ? '`' : '"';
  const canA = `${quote}canA${quote}`;
  return {
    times: 'milliseconds',
    resources: async () =>
      byPosition(
        (await orm.em.fork().find(documents, {}, { populate: ['folder', 'shares'] as never })).map((one) => one),
        allowed.resourceOf,
      ),
    ways: {
      select: (asked) => find(where(asked)),
      or: (asked) => find({ $or: [{ position: { $in: asked.few } }, where(asked)] }),
      both: (asked) => find({ $and: [where(asked), allowed(asked.other)] }),
      negated: (asked) => find({ $and: [scope(asked), allowed(asked.plan, { negated: true })] }),
      page: (asked) => find(where(asked), { orderBy: { position: 'asc' }, limit: PAGE.size, offset: PAGE.skipped }),
      count: (asked) => orm.em.fork().count(documents, where(asked)),
      'inner join': async (asked) => {
        const found = await orm.em
          .fork()
          .find(shares, { document: where(asked) } as never, { populate: ['document'] as never });
        return distinctOf(positions(found.map((share) => (share as never as { document: object }).document)));
      },
      'left join': (asked) => find(where(asked), { populate: ['folder'], strategy: 'joined' }),
      included: (asked) =>
        find(where(asked), {
          populate: ['folder', 'shares'],
          strategy: 'joined',
          orderBy: { position: 'asc' },
          limit: PAGE.size,
          offset: PAGE.skipped,
        }),
      through: (asked) => find({ $and: [where(asked), { folder: { deletedAt: null, id: { $ne: null } } }] }),
      async update(asked) {
        const own = { $and: [scope(asked), { deletedAt: null }, allowed(asked.plan, { alias: 'documents' })] } as never;
        await orm.em.fork().nativeUpdate(documents, own, { touched: 1 } as never);
        const found = await find({ touched: 1 });
        await orm.em.fork().nativeUpdate(documents, { touched: 1 } as never, { touched: null } as never);
        return found;
      },
      delete: (asked) =>
        rolledBack((fail) =>
          orm.em.fork().transactional(async (em) => {
            await em.nativeDelete(documents, {
              $and: [scope(asked), { deletedAt: null }, allowed(asked.plan, { alias: 'documents' })],
            } as never);
            return fail(
              positions(
                await em
                  .fork({ keepTransactionContext: true })
                  .find(documents, {}, { filters: false, fields: ['position'] as never }),
              ),
            );
          }),
        ),
      'can: order': async (asked) =>
        positions(
          await builder()
            .select(['position', ...columnsOf(asked)] as never)
            .where({ ...scope(asked), deletedAt: null } as never)
            .orderBy([{ [raw(canA)]: 'desc' }, { position: 'asc' }] as never)
            .limit(LATER)
            .execute('all'),
        ),
      'can: group': async (asked) =>
        tally(
          (
            await builder()
              .select([...columnsOf(asked).slice(0, 1), raw('count(*) as n')] as never)
              .where({ ...scope(asked), deletedAt: null } as never)
              .groupBy(raw(canA) as never)
              .execute('all', false)
          ).map((row) => ({ can: (row as never as Row)['canA'], count: (row as never as Row)['n'] })),
        ),
      'can: distinct': async (asked) =>
        pairs(
          await builder()
            .select(columnsOf(asked) as never, true)
            .where({ ...scope(asked), deletedAt: null } as never)
            .execute('all', false),
        ),
    },
    end: () => orm.close(),
  };
}
