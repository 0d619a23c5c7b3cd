import type { FactsOf } from '../../packages/adapters/facts.js';
import { sqlFacts } from '../../packages/adapters/facts.js';
import type { FactSource } from '../../runtime/facts/index.js';
import type { SqlTable } from '../../runtime/residual/sql/index.js';
import type { PoolOptions } from '../outgoing/postgresql-pool.js';
import { openReadOnlyPool } from './read-only-pool.js';

/** Facts in a table of PostgreSQL. */
export interface PostgresqlSourceOptions extends PoolOptions {
  readonly table: SqlTable;
  readonly of: FactsOf & { readonly of: string };
}

/** Facts from a table. */
export async function postgresqlSource({ table, of, ...options }: PostgresqlSourceOptions): Promise<{
  readonly source: FactSource;
  readonly close: () => Promise<void>;
}> {
  const { run, close } = await openReadOnlyPool(options);
  return { source: sqlFacts(run, { ...table, dialect: 'postgresql' }, of), close };
}
