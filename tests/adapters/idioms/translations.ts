import { elasticsearchAdapter, UnsupportedPlanError } from '../../../packages/adapters/elasticsearch.js';
import { mongodbAdapter } from '../../../packages/adapters/mongodb/index.js';
import { prismaAdapter } from '../../../packages/adapters/prisma/index.js';
import type { Filter } from '../../../runtime/residual/filters.js';
import { renderSql, type SqlDialect } from '../../../runtime/residual/sql/index.js';
import { DOCUMENT_CLIENT } from './prisma-schema.js';
import { MONGO, prismaMapping, SEARCH, sqlTable } from './mappings.js';

/** A translated filter, or why there is none. */
type Translation = { readonly query: object } | { readonly refused: string };

/** The translation of a filter for each database. */
export const TRANSLATIONS: { readonly [database: string]: (filter: Filter) => Translation } = {
  PostgreSQL: (filter) => ofSql(filter, 'postgresql'),
  SQLite: (filter) => ofSql(filter, 'sqlite'),
  MySQL: (filter) => ofSql(filter, 'mysql'),
  MongoDB: attempt(mongodbAdapter('documents', MONGO)),
  Prisma: attempt(prismaAdapter('Document', prismaMapping('postgresql'), DOCUMENT_CLIENT)),
  Elasticsearch: attempt(elasticsearchAdapter('documents', SEARCH)),
};

function ofSql(filter: Filter, dialect: SqlDialect): Translation {
  const condition = renderSql(filter, sqlTable(dialect), { dialect });
  return condition.kind === 'sql' ? { query: condition } : { refused: reasonsOf(condition.problems) };
}

function attempt(translate: (plan: { readonly filter: Filter }) => object): (filter: Filter) => Translation {
  return (filter) => {
    try {
      return { query: translate({ filter }) };
    } catch (error) {
      if (error instanceof UnsupportedPlanError) return { refused: reasonsOf(error.problems) };
      throw error;
    }
  };
}

function reasonsOf(problems: readonly { readonly operator: string; readonly reason: string }[]): string {
  return [...new Set(problems.map(({ operator, reason }) => `\`${operator}\`: ${reason}`))].join('; ');
}
