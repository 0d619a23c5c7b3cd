import { maskUrl } from '../config/mask.js';
import { openPool, type PoolOptions } from '../outgoing/postgresql-pool.js';
import { type FetchedTenant, MAX_DOCUMENT, type TenantSource, tooLarge } from './tenant-source.js';

/** Documents in PostgreSQL. */
export interface PostgresqlSourceOptions extends PoolOptions {
  /**
   * The query for one tenant: `$1` is its name, `$2` the version that is known or null. It returns no row for a tenant
   * without roles, else `version` and `document`, which is null if the version is the known one.
   */
  readonly query: string;
}

interface Row {
  readonly version: unknown;
  readonly document: unknown;
}

/** Documents from a table. */
export async function postgresqlSource(options: PostgresqlSourceOptions): Promise<TenantSource> {
  const { url, query, timeout } = options;
  const pool = await openPool(options, { statement_timeout: timeout });
  return {
    name: maskUrl(url),
    async fetch(tenant, known) {
      const { rows } = await pool.query({
        name: 'authz_tenant',
        text: query,
        values: [tenant, known ?? null],
      });
      const [row] = rows as readonly Row[];
      if (row === undefined) return { kind: 'missing' };
      return fetchedFrom(row, known);
    },
    close: () => pool.end(),
  };
}

function fetchedFrom(row: Row, known: string | undefined): FetchedTenant {
  if (typeof row.version !== 'string' || row.version === '')
    throw new Error('`tenants.postgresql.query` must return `version` as text');
  const { version, document } = row;
  if (document === null && version === known) return { kind: 'unchanged' };
  // A column of type `json` is an object here.
  const text = typeof document === 'string' ? document : JSON.stringify(document ?? null);
  return Buffer.byteLength(text) > MAX_DOCUMENT ? tooLarge(version) : { kind: 'fetched', version, text };
}
