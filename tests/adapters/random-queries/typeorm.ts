import Database from 'libsql';
import { Brackets, DataSource, type DataSourceOptions, EntitySchema, type SelectQueryBuilder } from 'typeorm';
import { typeormAdapter, typeormCan } from '../../../packages/adapters/typeorm.js';
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
  camel,
} from './composing.js';

/** TypeORM in each database. */
export const TYPEORM: OpenEach = {
  postgresql: ({ host, user, database }) =>
    typeorm({ type: 'postgres', host, username: user, database } as DataSourceOptions, 'postgresql'),
  mysql: ({ socketPath, user, database }) =>
    typeorm({ type: 'mariadb', socketPath, username: user, database, timezone: 'Z' } as DataSourceOptions, 'mysql'),
  sqlite: (database) => typeorm({ type: 'better-sqlite3', database, driver: Database }, 'sqlite'),
};

async function typeorm(options: DataSourceOptions, of: SqlDialect): Promise<ComposingLibrary> {
  const types: { readonly [K in Kind]?: object } = {
    postgresql: {
      text: { type: 'text' },
      integer: { type: 'int' },
      large: { type: 'bigint' },
      number: { type: 'double precision' },
      decimal: { type: 'numeric' },
      boolean: { type: 'boolean' },
      time: { type: 'timestamptz' },
      uuid: { type: 'uuid' },
      list: { type: 'jsonb' },
      json: { type: 'jsonb' },
    },
    mysql: {
      text: { type: 'varchar' },
      integer: { type: 'int' },
      large: { type: 'bigint' },
      number: { type: 'double' },
      decimal: { type: 'decimal', precision: 40, scale: 20 },
      boolean: { type: 'boolean' },
      time: { type: 'datetime', precision: 6 },
      uuid: { type: 'uuid' },
    },
    sqlite: {
      text: { type: 'text' },
      integer: { type: 'integer' },
      large: { type: 'bigint' },
      number: { type: 'double' },
      decimal: { type: 'decimal' },
      boolean: { type: 'boolean' },
      time: { type: 'datetime' },
      uuid: { type: 'text' },
      list: { type: 'simple-json' },
      json: { type: 'simple-json' },
    },
  }[of];
  const columns = (list: readonly Column[]): object =>
    Object.fromEntries(
      columnsIn(list, of).map(({ property, column, kind, null: absence }) => [
        property,
        { ...types[kind], name: column, nullable: absence !== 'never' },
      ]),
    );
  const deletedAt = { ...types.time, name: 'deleted_at', deleteDate: true, nullable: true };
  type Entity = { id: string; position: number; [property: string]: unknown };
  const documents = new EntitySchema<Entity>({
    name: 'Document',
    tableName: 'documents',
    columns: {
      id: { ...types.text, primary: true },
      position: { type: 'int' },
      touched: { type: 'int', nullable: true },
      folderId: { ...types.text, name: 'folder_id', nullable: true },
      ...columns(DOCUMENT),
      deletedAt,
    } as never,
    relations: {
      folder: { type: 'many-to-one', target: 'Folder', joinColumn: { name: 'folder_id' }, inverseSide: 'documents' },
      shares: { type: 'one-to-many', target: 'Share', inverseSide: 'document' },
    } as never,
  });
  const folders = new EntitySchema<Entity>({
    name: 'Folder',
    tableName: 'folders',
    columns: { id: { ...types.text, primary: true }, ...columns(FOLDER), deletedAt } as never,
    relations: { documents: { type: 'one-to-many', target: 'Document', inverseSide: 'folder' } } as never,
  });
  const shares = new EntitySchema<Entity>({
    name: 'Share',
    tableName: 'shares',
    columns: {
      id: { type: 'int', primary: true },
      documentId: { ...types.text, name: 'document_id' },
      ...columns(SHARE),
      deletedAt,
    } as never,
    relations: {
      document: { type: 'many-to-one', target: 'Document', joinColumn: { name: 'document_id' }, inverseSide: 'shares' },
    } as never,
  });
  const source = await new DataSource({
    ...options,
    entities: [documents, folders, shares],
  } as DataSourceOptions).initialize();
  const repository = source.getRepository(documents);
  const related = { folders: source.getRepository(folders), shares: source.getRepository(shares) };
  const mapping = mappingOf(of, 'utc', camel) as never;
  const allowed = typeormAdapter<Entity, { folders: Entity; shares: Entity }>(repository, mapping, related);
  const can = typeormCan<Entity, { folders: Entity; shares: Entity }>(repository, mapping, related);
  const quote = of === 'mysql' ? '`' : '"';
  const canA = `${quote}canA${quote}`;
  const scoped = ({ range }: Asked): SelectQueryBuilder<Entity> =>
    repository
      .createQueryBuilder('t')
      .where('t.position >= :from AND t.position < :to', { from: range[0], to: range[1] });
  const where = ({ plan }: Asked): Brackets => allowed(plan, { alias: 't' });
  const withCans = <Q extends SelectQueryBuilder<Entity>>(query: Q, { cans }: Asked): Q => {
    for (const [text, name, parameters] of can(cans, { alias: 't' }))
      query.addSelect(text, name).setParameters(parameters);
    return query;
  };
  const grouped = async (rows: SelectQueryBuilder<Entity>): Promise<readonly number[]> =>
    tally(
      await source
        .createQueryBuilder()
        .select(canA, 'can')
        .addSelect('count(*)', 'count')
        .from(`(${rows.getQuery()})`, 'r')
        .setParameters(rows.getParameters())
        .groupBy(canA)
        .getRawMany(),
    );
  return {
    times: 'utc',
    async resources() {
      const loaded = await repository.find({ relations: { folder: true, shares: true } as never, withDeleted: false });
      return byPosition(loaded, allowed.resourceOf);
    },
    ways: {
      select: async (asked) => positions(await scoped(asked).andWhere(where(asked)).getMany()),
      or: async (asked) =>
        positions(
          await repository
            .createQueryBuilder('t')
            .where('t.position IN (:...few)', { few: asked.few })
            .orWhere(
              new Brackets((query) =>
                query
                  .where(where(asked))
                  .andWhere('t.position >= :from AND t.position < :to', { from: asked.range[0], to: asked.range[1] }),
              ),
            )
            .getMany(),
        ),
      both: async (asked) =>
        positions(
          await scoped(asked)
            .andWhere(where(asked))
            .andWhere(allowed(asked.other, { alias: 't' }))
            .getMany(),
        ),
      negated: async (asked) =>
        positions(
          await scoped(asked)
            .andWhere(allowed(asked.plan, { alias: 't', negated: true }))
            .getMany(),
        ),
      page: async (asked) =>
        positions(
          await scoped(asked).andWhere(where(asked)).orderBy('t.position').skip(PAGE.skipped).take(PAGE.size).getMany(),
        ),
      count: (asked) => scoped(asked).andWhere(where(asked)).getCount(),
      'inner join': async (asked) =>
        positions(await scoped(asked).innerJoin('t.shares', 's').andWhere(where(asked)).getMany()),
      'left join': async (asked) =>
        positions(await scoped(asked).leftJoinAndSelect('t.folder', 'f').andWhere(where(asked)).getMany()),
      'self join': async (asked) =>
        positions(
          await scoped(asked)
            .innerJoin('Document', 'next', 'next.position = t.position + 1')
            .andWhere('next.deletedAt IS NULL')
            .andWhere(where(asked))
            .andWhere(allowed(asked.other, { alias: 'next' }))
            .getMany(),
        ),
      subquery: async (asked) => {
        const query = repository.createQueryBuilder('d');
        const inner = query
          .subQuery()
          .select('t.id')
          .from(documents, 't')
          .where('t.position >= :from AND t.position < :to')
          .andWhere(where(asked));
        return positions(
          await query
            .where(`d.id IN ${inner.getQuery()}`)
            .setParameters({ ...inner.getParameters(), from: asked.range[0], to: asked.range[1] })
            .getMany(),
        );
      },
      through: async (asked) => {
        const found = await related.folders
          .createQueryBuilder('f')
          .innerJoinAndSelect('f.documents', 't')
          .where('t.position >= :from AND t.position < :to', { from: asked.range[0], to: asked.range[1] })
          .andWhere(where(asked))
          .getMany();
        return positions(found.flatMap((folder) => folder['documents'] as object[]));
      },
      included: async (asked) =>
        positions(
          await scoped(asked)
            .leftJoinAndSelect('t.folder', 'f')
            .leftJoinAndSelect('t.shares', 's')
            .andWhere(where(asked))
            .orderBy('t.position')
            .skip(PAGE.skipped)
            .take(PAGE.size)
            .getMany(),
        ),
      async update(asked) {
        await repository
          .createQueryBuilder()
          .update()
          .set({ touched: 1 } as never)
          .where('position >= :from AND position < :to AND deleted_at IS NULL', {
            from: asked.range[0],
            to: asked.range[1],
          })
          .andWhere(allowed(asked.plan, { alias: 'documents' }))
          .execute();
        const found = positions(await repository.findBy({ touched: 1 } as never));
        await repository.update({ touched: 1 } as never, { touched: () => 'NULL' } as never);
        return found;
      },
      delete: (asked) =>
        rolledBack((fail) =>
          source.transaction(async (manager) => {
            await manager
              .createQueryBuilder()
              .delete()
              .from(documents)
              .where('position >= :from AND position < :to AND deleted_at IS NULL', {
                from: asked.range[0],
                to: asked.range[1],
              })
              .andWhere(allowed(asked.plan, { alias: 'documents' }))
              .execute();
            return fail(
              positions(
                await manager.find(documents, { select: { position: true, id: true } as never, withDeleted: true }),
              ),
            );
          }),
        ),
      'can: order': async (asked) => {
        const { entities } = await withCans(scoped(asked), asked)
          .orderBy(canA, 'DESC')
          .addOrderBy('t.position')
          .limit(LATER)
          .getRawAndEntities();
        return positions(entities);
      },
      'can: group': (asked) => grouped(withCans(scoped(asked).select([]), asked)),
      'can: distinct': async (asked) =>
        pairs(await withCans(scoped(asked).select([]), asked).distinct(true).getRawMany()),
      'can: derived table': async (asked) => {
        const rows = withCans(scoped(asked).select('t.position', 'position'), asked);
        return positions(
          await source
            .createQueryBuilder()
            .select('r.position', 'position')
            .from(`(${rows.getQuery()})`, 'r')
            .where(canA)
            .setParameters(rows.getParameters())
            .getRawMany(),
        );
      },
      'can: outer join': async (asked) =>
        tallyJoined(
          await withCans(
            related.shares
              .createQueryBuilder('s')
              .withDeleted()
              .leftJoin(
                'Document',
                't',
                't.id = s.documentId AND t.deletedAt IS NULL AND t.position >= :from AND t.position < :to',
                {
                  from: asked.range[0],
                  to: asked.range[1],
                },
              )
              .select('t.id', 'document'),
            asked,
          ).getRawMany(),
        ),
    },
    end: () => source.destroy(),
  };
}
