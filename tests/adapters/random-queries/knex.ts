import knexOf, { type Knex } from 'knex';
import { knexAdapter, knexCan } from '../../../packages/adapters/knex.js';
import type { SqlDialect } from '../../../runtime/residual/sql/index.js';
import { KnexOfLibsql } from '../libraries.js';
import { mappingOf } from './tables.js';
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
  snake,
} from './composing.js';

/** Knex in each database. */
export const KNEX: OpenEach = {
  postgresql: (connection) => knex({ client: 'pg', connection }, 'postgresql'),
  mysql: (connection) => knex({ client: 'mysql2', connection: { ...connection, dateStrings: true } }, 'mysql'),
  sqlite: (filename) =>
    knex({ client: KnexOfLibsql as never, connection: { filename }, useNullAsDefault: true }, 'sqlite'),
};

async function knex(config: Knex.Config, of: SqlDialect): Promise<ComposingLibrary> {
  const db = knexOf(config);
  const mapping = mappingOf(of, 'milliseconds', snake);
  type Documents = { readonly [column: string]: unknown };
  const allowed = knexAdapter<Documents>('documents', mapping as never);
  const can = knexCan<Documents>(db, 'documents', mapping as never);
  const scoped = ({ range }: Asked, alias = 't') =>
    db({ [alias]: 'documents' })
      .whereNull(`${alias}.deleted_at`)
      .whereBetween(`${alias}.position`, [range[0], range[1] - 1]);
  const where = ({ plan }: Asked) => allowed(plan, { alias: 't' });
  const columns = ({ cans }: Asked) => can(cans, { alias: 't' });
  const grouped = async (rows: Knex.QueryBuilder) =>
    tally(
      (await db
        .select(db.ref('canA').as('can'), db.raw('count(*) as count'))
        .from(rows.as('r'))
        .groupBy('canA')) as object[],
    );
  return {
    times: 'milliseconds',
    async resources() {
      const [documents, folders, shares] = (await Promise.all([
        db('documents'),
        db('folders'),
        db('shares'),
      ])) as object[][];
      return byPosition(
        withRelated(documents ?? [], folders ?? [], shares ?? [], ['folder_id', 'document_id']),
        allowed.resourceOf,
      );
    },
    ways: {
      select: async (asked) => positions(await scoped(asked).where(where(asked)).select('t.position')),
      or: async (asked) =>
        positions(
          await db({ t: 'documents' })
            .whereNull('t.deleted_at')
            .where((query) => {
              query.whereIn('t.position', asked.few).orWhere((inner) => {
                inner.where(where(asked)).whereBetween('t.position', [asked.range[0], asked.range[1] - 1]);
              });
            })
            .select('t.position'),
        ),
      both: async (asked) =>
        positions(
          await scoped(asked)
            .where(where(asked))
            .andWhere(allowed(asked.other, { alias: 't' }))
            .select('t.position'),
        ),
      negated: async (asked) =>
        positions(
          await scoped(asked)
            .where(allowed(asked.plan, { alias: 't', negated: true }))
            .select('t.position'),
        ),
      page: async (asked) =>
        positions(
          await scoped(asked)
            .where(where(asked))
            .orderBy('t.position')
            .limit(PAGE.size)
            .offset(PAGE.skipped)
            .select('t.position'),
        ),
      count: async (asked) => Number((await scoped(asked).where(where(asked)).count({ n: '*' }))[0]?.['n']),
      'inner join': async (asked) =>
        positions(
          await scoped(asked)
            .join('shares', 'shares.document_id', 't.id')
            .whereNull('shares.deleted_at')
            .where(where(asked))
            .distinct('t.position'),
        ),
      'left join': async (asked) =>
        positions(
          await scoped(asked).leftJoin('folders', 'folders.id', 't.folder_id').where(where(asked)).select('t.position'),
        ),
      'self join': async (asked) =>
        positions(
          await scoped(asked)
            .join('documents', db.raw('documents.position = t.position + 1') as never)
            .whereNull('documents.deleted_at')
            .where(where(asked))
            .where(allowed(asked.other))
            .select('t.position'),
        ),
      subquery: async (asked) =>
        positions(
          await db('documents')
            .whereIn('id', scoped(asked).where(where(asked)).select('t.id'))
            .select('position'),
        ),
      through: async (asked) =>
        positions(
          await scoped(asked)
            .join('folders', 'folders.id', 't.folder_id')
            .whereNull('folders.deleted_at')
            .where(where(asked))
            .select('t.position'),
        ),
      async update(asked) {
        const own = () =>
          db('documents')
            .whereNull('deleted_at')
            .whereBetween('position', [asked.range[0], asked.range[1] - 1]);
        await own().where(allowed(asked.plan)).update({ touched: 1 });
        const found = positions(await db('documents').where({ touched: 1 }).select('position'));
        await db('documents').where({ touched: 1 }).update({ touched: null });
        return found;
      },
      delete: (asked) =>
        rolledBack(async (fail) =>
          db.transaction(async (tx) => {
            await tx('documents')
              .whereNull('deleted_at')
              .whereBetween('position', [asked.range[0], asked.range[1] - 1])
              .where(allowed(asked.plan))
              .delete();
            return fail(positions(await tx('documents').select('position')));
          }),
        ),
      'can: order': async (asked) =>
        positions(
          await scoped(asked)
            .select('t.position', ...columns(asked))
            .orderBy([{ column: 'canA', order: 'desc' }, 't.position'])
            .limit(LATER),
        ),
      'can: group': (asked) => grouped(scoped(asked).select(...columns(asked))),
      'can: distinct': async (asked) => pairs(await scoped(asked).distinct(...columns(asked))),
      'can: derived table': async (asked) =>
        positions(
          await db
            .select('position')
            .from(
              scoped(asked)
                .select('t.position', ...columns(asked))
                .as('r'),
            )
            .where(db.raw('??', ['canA']) as never),
        ),
      'can: outer join': async (asked) =>
        tallyJoined(
          await db('shares')
            .leftJoin({ t: 'documents' }, (join) => {
              join
                .on('t.id', 'shares.document_id')
                .onNull('t.deleted_at')
                .onBetween('t.position', [asked.range[0], asked.range[1] - 1]);
            })
            .select('t.id as document', ...columns(asked)),
        ),
    },
    end: () => db.destroy(),
  };
}
