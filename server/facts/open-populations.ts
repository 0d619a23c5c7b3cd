import { sanitize } from '../../runtime/policy/index.js';
import { isRelation, type SqlColumn, type SqlRelation } from '../../runtime/residual/sql/table.js';
import type { SourcesConfig } from '../config.js';
import { ConfigError } from '../config/config-error.js';
import type { Population, Populations } from '../service/population.js';
import { RpcError } from '../service/rpc-error.js';
import { listProvided } from './provided.js';
import { postgresqlPopulation, type RunReadOnly, type SearchedTable } from './postgresql-population.js';
import { openReadOnlyPool, type ReadOnlyPool } from './read-only-pool.js';
import type { SourceStates } from './source-states.js';
import { firstName, type SourceTable, type SourceTables } from './source-tables.js';

/** What may be searched, and how to stop that. */
export interface OpenPopulations {
  /** Undefined: nothing. */
  readonly populations: Populations | undefined;
  readonly close: () => Promise<void>;
}

type SourceConfig = SourcesConfig['from'][string];

/** The type of the subjects of a source that names none. */
const USUAL_TYPE = 'user';

/**
 * Opens the sources whose rows a search may find. They have connections of their own, so that searches do not keep checks from their
 * facts. Rejects with a ConfigError if one cannot be searched.
 */
export async function openPopulations(
  { from, search }: Pick<SourcesConfig, 'from' | 'search'>,
  tables: SourceTables,
  states: Pick<SourceStates, 'lost' | 'failed'>,
  disagreed: Populations['disagreed'],
): Promise<OpenPopulations> {
  const pools: ReadOnlyPool[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(pools.map((pool) => pool.close()));
  };
  const subjects = new Map<string, Population>();
  const resources = new Map<string, Population>();
  try {
    for (const [name, source] of Object.entries(from)) {
      if (!source.search || source.sql === undefined) continue;
      const isPrincipal = source.of === 'principal';
      const [known, key] = isPrincipal
        ? [subjects, source.subjectType ?? USUAL_TYPE]
        : [resources, sanitize(source.of)];
      if (known.has(key))
        throw new ConfigError(`another source provides the rows of \`${key}\``, `sources.from.${name}.search`);
      const table = searchedTable(name, source, tables.get(name) as SourceTable);
      const pool = await openReadOnlyPool({
        url: source.sql.url,
        maxConnections: search.maxConnections,
        timeout: search.timeout,
        onProblem: (error) => states.lost(name, error),
      });
      pools.push(pool);
      const { maxAge, maxStale } = source.cache;
      const population = postgresqlPopulation(table, failing(pool.run, name, states));
      known.set(key, { ...population, mayLag: Number(maxAge) > 0 || Number(maxStale) > 0 });
    }
  } catch (error) {
    await close();
    throw error instanceof TypeError ? new ConfigError(error.message, 'sources.from') : error;
  }
  const { maxPageSize, maxRows, timeout } = search;
  return {
    populations: pools.length === 0 ? undefined : { subjects, resources, maxPageSize, maxRows, timeout, disagreed },
    close,
  };
}

/** The table of a source, with the columns that decisions know of: attributes that it does not provide are missing for these. */
function searchedTable(name: string, source: SourceConfig, { kind, table }: SourceTable): SearchedTable {
  const { id } = table;
  if (id === undefined)
    throw new ConfigError(
      `the table of \`${source.sql?.table}\` needs \`id\` to be searched`,
      `sources.from.${name}.search`,
    );
  const provided = new Set(listProvided(source, table));
  const columns = Object.entries(table.columns).flatMap(([path, stored]) => {
    const isProvided = provided.has(path) || provided.has(firstName(path));
    return isProvided ? [[path, readAsFact(stored)] as const] : [];
  });
  return {
    name: table.name,
    id,
    columns: Object.fromEntries(columns),
    ...(kind === 'users' && { users: { roles: readAsFact(table.roles), where: table.where } }),
  };
}

/** Facts have the milliseconds of a time, as the driver reads no more, which also reads the JSON value null as it reads NULL. */
function readAsFact<Stored extends SqlColumn | SqlRelation>(stored: Stored): Stored {
  if (isRelation(stored)) {
    const { columns, value } = stored;
    const own = Object.entries(columns ?? {}).map(([path, one]) => [path, readAsFact(one)] as const);
    return {
      ...stored,
      ...(columns !== undefined && { columns: Object.fromEntries(own) }),
      ...(value !== undefined && { value: readAsFact(value) }),
    };
  }
  if (stored.type === 'timestamp') return { ...stored, precision: 3 };
  const isJson = stored.type === 'json' || stored.type === 'list';
  return isJson && stored.null !== 'null' ? { ...stored, jsonNull: 'missing' } : stored;
}

/** What PostgreSQL says of a statement that took too long. */
const CANCELED = '57014';

/** Says to the caller whether rows were read too late or not at all, and to the operator why. */
function failing(run: RunReadOnly, name: string, states: Pick<SourceStates, 'failed'>): RunReadOnly {
  return async (text, values) => {
    try {
      return await run(text, values);
    } catch (error) {
      states.failed(name, error);
      const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
      throw code === CANCELED || message === 'Query read timeout'
        ? new RpcError('deadline_exceeded', `the search took longer than \`sources.search.timeout\``)
        : new RpcError('unavailable', 'the rows to search cannot be read');
    }
  };
}
