import { type Dialect, Kysely, MysqlDialect, PostgresDialect, sql as kyselySql, SqliteDialect } from 'kysely';
import Database from 'libsql';
import { createPool } from 'mysql2';
import { Pool } from 'pg';
import { kyselyAdapter, kyselyCan } from '../../../packages/adapters/kysely.js';
import type { SqlDialect } from '../../../runtime/residual/sql/index.js';
import { mappingOf } from './tables.js';
import {
  type Asked,
  type ComposingLibrary,
  type OpenEach,
  LATER,
  PAGE,
  byPosition,
  distinctOf,
  pairs,
  positions,
  rolledBack,
  tally,
  tallyJoined,
  withRelated,
  snake,
} from './composing.js';

/** Kysely in each database. */
export const KYSELY: OpenEach = {
  postgresql: (connection) => kysely(new PostgresDialect({ pool: new Pool(connection) }), 'postgresql'),
  mysql: (connection) =>
    kysely(new MysqlDialect({ pool: createPool({ ...connection, dateStrings: true }) as never }), 'mysql'),
  sqlite: (path) => kysely(new SqliteDialect({ database: new Database(path) as never }), 'sqlite'),
};

async function kysely(dialect: Dialect, of: SqlDialect): Promise<ComposingLibrary> {
  interface Tables {
    documents: { id: string; position: number; folder_id: string; deleted_at: unknown; touched: number | null };
    folders: { id: string; deleted_at: unknown };
    shares: { id: number; document_id: string; deleted_at: unknown };
  }
  const db = new Kysely<Tables>({ dialect });
  const mapping = mappingOf(of, 'milliseconds', snake);
  const allowed = kyselyAdapter<Tables, 'documents'>('documents', mapping as never);
  const can = kyselyCan<Tables, 'documents'>('documents', mapping as never);
  const scoped = ({ range }: Asked) =>
    db
      .selectFrom('documents as t')
      .where('t.deleted_at', 'is', null)
      .where('t.position', '>=', range[0])
      .where('t.position', '<', range[1]);
  const where = ({ plan }: Asked) => allowed(plan, { alias: 't' });
  const columns = ({ cans }: Asked) => can(cans, { alias: 't' }) as never;
  const read = async (query: { execute(): Promise<object[]> }) => positions(await query.execute());
  return {
    times: 'milliseconds',
    async resources() {
      const [documents, folders, shares] = await Promise.all([
        db.selectFrom('documents').selectAll().execute(),
        db.selectFrom('folders').selectAll().execute(),
        db.selectFrom('shares').selectAll().execute(),
      ]);
      return byPosition(withRelated(documents, folders, shares, ['folder_id', 'document_id']), allowed.resourceOf);
    },
    ways: {
      select: (asked) => read(scoped(asked).select('t.position').where(where(asked))),
      or: (asked) =>
        read(
          db
            .selectFrom('documents as t')
            .select('t.position')
            .where('t.deleted_at', 'is', null)
            .where((eb) =>
              eb.or([
                eb('t.position', 'in', asked.few),
                eb.and([eb('t.position', '>=', asked.range[0]), where(asked), eb('t.position', '<', asked.range[1])]),
              ]),
            ),
        ),
      both: (asked) =>
        read(
          scoped(asked)
            .select('t.position')
            .where(where(asked))
            .where(allowed(asked.other, { alias: 't' })),
        ),
      negated: (asked) =>
        read(
          scoped(asked)
            .select('t.position')
            .where(allowed(asked.plan, { alias: 't', negated: true })),
        ),
      page: (asked) =>
        read(
          scoped(asked)
            .select('t.position')
            .where(where(asked))
            .orderBy('t.position')
            .limit(PAGE.size)
            .offset(PAGE.skipped),
        ),
      count: async (asked) =>
        Number(
          (
            await scoped(asked)
              .where(where(asked))
              .select(({ fn }) => fn.countAll().as('n'))
              .executeTakeFirstOrThrow()
          ).n,
        ),
      'inner join': async (asked) =>
        distinctOf(
          await read(
            scoped(asked)
              .innerJoin('shares', 'shares.document_id', 't.id')
              .where('shares.deleted_at', 'is', null)
              .where(where(asked))
              .select('t.position'),
          ),
        ),
      'left join': (asked) =>
        read(scoped(asked).leftJoin('folders', 'folders.id', 't.folder_id').where(where(asked)).select('t.position')),
      'self join': (asked) =>
        read(
          scoped(asked)
            .innerJoin('documents', (join) => join.on(kyselySql<boolean>`documents.position = t.position + 1`))
            .where('documents.deleted_at', 'is', null)
            .where(where(asked))
            .where(allowed(asked.other))
            .select('t.position'),
        ),
      subquery: (asked) =>
        read(
          db
            .selectFrom('documents')
            .select('position')
            .where('id', 'in', scoped(asked).select('t.id').where(where(asked))),
        ),
      through: (asked) =>
        read(
          scoped(asked)
            .innerJoin('folders', 'folders.id', 't.folder_id')
            .where('folders.deleted_at', 'is', null)
            .where(where(asked))
            .select('t.position'),
        ),
      async update(asked) {
        await db
          .updateTable('documents')
          .set({ touched: 1 })
          .where('deleted_at', 'is', null)
          .where('position', '>=', asked.range[0])
          .where('position', '<', asked.range[1])
          .where(allowed(asked.plan))
          .execute();
        const found = await read(db.selectFrom('documents').select('position').where('touched', '=', 1));
        await db.updateTable('documents').set({ touched: null }).where('touched', '=', 1).execute();
        return found;
      },
      delete: (asked) =>
        rolledBack(async (fail) =>
          db.transaction().execute(async (tx) => {
            await tx
              .deleteFrom('documents')
              .where('deleted_at', 'is', null)
              .where('position', '>=', asked.range[0])
              .where('position', '<', asked.range[1])
              .where(allowed(asked.plan))
              .execute();
            return fail(positions(await tx.selectFrom('documents').select('position').execute()));
          }),
        ),
      'can: order': (asked) =>
        read(
          scoped(asked)
            .select('t.position')
            .select(columns(asked))
            .orderBy('canA' as never, 'desc')
            .orderBy('t.position')
            .limit(LATER),
        ),
      'can: group': async (asked) => {
        const rows = db.selectFrom(scoped(asked).select(columns(asked)).as('r') as never);
        return tally(
          await (rows as never as { select(of: unknown): { groupBy(of: string): { execute(): Promise<object[]> } } })
            .select([kyselySql.ref('canA').as('can'), kyselySql`count(*)`.as('count')])
            .groupBy('canA')
            .execute(),
        );
      },
      'can: distinct': async (asked) => pairs(await scoped(asked).select(columns(asked)).distinct().execute()),
      'can: derived table': (asked) =>
        read(
          (
            db.selectFrom(
              scoped(asked).select('t.position').select(columns(asked)).as('r') as never,
            ) as never as ReturnType<typeof scoped>
          )
            .select('position' as never)
            .where(kyselySql<boolean>`${kyselySql.ref('canA')}`),
        ),
      'can: outer join': async (asked) =>
        tallyJoined(
          await db
            .selectFrom('shares')
            .leftJoin('documents as t', (join) =>
              join
                .onRef('t.id', '=', 'shares.document_id')
                .on('t.deleted_at', 'is', null)
                .on('t.position', '>=', asked.range[0])
                .on('t.position', '<', asked.range[1]),
            )
            .select('t.id as document')
            .select(columns(asked))
            .execute(),
        ),
    },
    end: () => db.destroy(),
  };
}
