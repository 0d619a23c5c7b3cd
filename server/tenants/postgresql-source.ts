import { maskUrl } from '../config/mask.js';
import { type FetchedTenant, MAX_DOCUMENT, type TenantSource, tooLarge } from './tenant-source.js';

/** Documents in PostgreSQL. */
export interface PostgresqlSourceOptions {
  /** A connection string; TLS is one of its parameters (`sslmode`, `sslrootcert`). */
  readonly url: string;
  /**
   * The query for one tenant: `$1` is its name, `$2` the version that is known or null. It returns no row for a tenant
   * without roles, else `version` and `document`, which is null if the version is the known one.
   */
  readonly query: string;
  readonly maxConnections: number;
  /** How long a connection, and a query, may take, in milliseconds. */
  readonly timeout: number;
  /** Told of connections that are lost while they are idle. */
  readonly onProblem: (error: Error) => void;
}

/** The part of the driver that is used; it has no types of its own. */
interface Driver {
  readonly Pool: new (options: {
    readonly [name: string]: unknown;
  }) => {
    on(event: 'error', listener: (error: Error) => void): void;
    query(query: { readonly [name: string]: unknown }): Promise<{ readonly rows: readonly Row[] }>;
    end(): Promise<void>;
  };
}

interface Row {
  readonly version: unknown;
  readonly document: unknown;
}

/** Documents from a table. The driver is an optional package: it is loaded here, and only here. */
export async function postgresqlSource(options: PostgresqlSourceOptions): Promise<TenantSource> {
  const { default: pg } = (await import('pg')) as unknown as { readonly default: Driver };
  const { url, query, maxConnections, timeout } = options;
  const pool = new pg.Pool({
    connectionString: url,
    max: maxConnections,
    connectionTimeoutMillis: timeout,
    statement_timeout: timeout,
    query_timeout: timeout,
    idleTimeoutMillis: 60_000,
    application_name: 'authz',
  });
  // Without a listener, a lost connection would end the process.
  pool.on('error', options.onProblem);
  return {
    name: maskUrl(url),
    async fetch(tenant, known) {
      const { rows } = await pool.query({
        name: 'authz_tenant',
        text: query,
        values: [tenant, known ?? null],
      });
      const [row] = rows;
      if (row === undefined) return { kind: 'missing' };
      return fetchedFrom(row, known);
    },
    close: () => pool.end(),
  };
}

function fetchedFrom(row: Row, known: string | undefined): FetchedTenant {
  if (typeof row.version !== 'string' || row.version === '')
    throw new Error('`tenants.postgresql.query` must return `version` as a text');
  const { version, document } = row;
  if (document === null && version === known) return { kind: 'unchanged' };
  // A column of type `json` is an object here.
  const text = typeof document === 'string' ? document : JSON.stringify(document ?? null);
  return Buffer.byteLength(text) > MAX_DOCUMENT ? tooLarge(version) : { kind: 'fetched', version, text };
}
