import { createSqlTag } from '@slonik/sql-tag';
import { sql as drizzleSql } from 'drizzle-orm';
import { drizzle } from 'drizzle-orm/node-postgres';
import { pgTable, text } from 'drizzle-orm/pg-core';
import knexOf from 'knex';
import { Kysely, PostgresDialect, sql as kyselySql } from 'kysely';
import { Pool, type Client, type Options } from 'pg';
import postgres from 'postgres';
import templateOf from 'sql-template-tag';
import { DataSource, EntitySchema } from 'typeorm';
import type { SqlCondition } from '../../runtime/residual/sql/index.js';

/** A condition rendered for PostgreSQL. */
export type Rendered = SqlCondition & { readonly kind: 'sql' };

/** A library that builds queries, with its own connection. */
export interface QueryBuilder {
  /** The ids of the contacts that a condition selects, in order. */
  select(condition: Rendered): Promise<readonly string[]>;
  end(): Promise<void>;
}

/** How each library takes a condition, as documented in docs/plans.md. */
export const QUERY_BUILDERS: {
  readonly [name: string]: (connection: Options, client: Client) => Promise<QueryBuilder>;
} = {
  async Knex(connection) {
    const knex = knexOf({ client: 'pg', connection });
    return {
      async select({ parts, parameters }) {
        const condition = parts.map((part) => part.replaceAll('?', '\\?')).join('?');
        return idsOf(await knex('contacts').select('id').whereRaw(condition, parameters).orderBy('id'));
      },
      end: () => knex.destroy(),
    };
  },
  async Kysely(connection) {
    const db = new Kysely<{ contacts: { id: string } }>({
      dialect: new PostgresDialect({ pool: new Pool(connection) }),
    });
    return {
      select: async ({ parts, parameters }) =>
        idsOf(
          await db
            .selectFrom('contacts')
            .select('id')
            .where(kyselySql<boolean>(parts, ...parameters))
            .orderBy('id')
            .execute(),
        ),
      end: () => db.destroy(),
    };
  },
  async 'Drizzle ORM'(connection) {
    const pool = new Pool(connection);
    const db = drizzle(pool);
    const contacts = pgTable('contacts', { id: text().primaryKey() });
    return {
      select: async ({ parts, parameters }) =>
        idsOf(
          await db
            .select()
            .from(contacts)
            .where(drizzleSql(parts, ...parameters))
            .orderBy(contacts.id),
        ),
      end: () => pool.end(),
    };
  },
  async TypeORM({ host, user, database }) {
    const contacts = new EntitySchema<{ id: string }>({
      name: 'contacts',
      columns: { id: { type: 'text', primary: true } },
    });
    const source = await new DataSource({
      type: 'postgres',
      host,
      username: user,
      database,
      entities: [contacts],
    }).initialize();
    return {
      async select({ parts, parameters }) {
        const condition = parts.reduce((before, part, index) => `${before}:authz${index - 1}${part}`);
        const named = Object.fromEntries(parameters.map((parameter, index) => [`authz${index}`, parameter]));
        return idsOf(
          await source
            .getRepository(contacts)
            .createQueryBuilder('contacts')
            .where(condition, named)
            .orderBy('contacts.id')
            .getMany(),
        );
      },
      end: () => source.destroy(),
    };
  },
  async 'postgres.js'({ host, user, database }) {
    const sql = postgres({ host, user, database, onnotice: () => undefined });
    return {
      select: async ({ parts, parameters }) =>
        idsOf(await sql<{ id: string }[]>`SELECT id FROM contacts WHERE ${sql(parts, ...parameters)} ORDER BY id`),
      end: () => sql.end(),
    };
  },
  async 'Prisma.sql'(_, client) {
    return {
      async select({ parts, parameters }) {
        const query = templateOf`SELECT id FROM contacts WHERE ${templateOf(parts, ...parameters)} ORDER BY id`;
        return idsOf((await client.query(query.text, query.values)).rows as readonly { readonly id: string }[]);
      },
      end: async () => undefined,
    };
  },
  async Slonik(_, client) {
    const sql = createSqlTag();
    return {
      async select({ parts, parameters }) {
        const query = sql.unsafe`SELECT id FROM contacts WHERE ${sql.fragment(parts, ...parameters)} ORDER BY id`;
        return idsOf(
          (await client.query(query.sql.replaceAll('$slonik_', '$'), query.values)).rows as readonly {
            readonly id: string;
          }[],
        );
      },
      end: async () => undefined,
    };
  },
};

function idsOf(rows: readonly { readonly id: string }[]): readonly string[] {
  return rows.map(({ id }) => id);
}
