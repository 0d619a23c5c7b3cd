import type { SourceCall } from '../../runtime/facts/loader.js';
import { FactGatherer } from '../../runtime/facts/gather.js';
import type { ServedSource } from '../../runtime/facts/source.js';
import type { SourcesConfig } from '../config.js';
import { ConfigError } from '../config/config-error.js';
import { listProvided } from './provided.js';
import type { SourceStates } from './source-states.js';
import type { SourceTable, SourceTables } from './source-tables.js';

/** The sources of a server, and what fetches from them. */
export interface OpenSources {
  readonly gatherer: FactGatherer;
  readonly close: () => Promise<void>;
}

type SourceConfig = SourcesConfig['from'][string];

interface OpenSource {
  readonly source: ServedSource;
  readonly close: () => Promise<void>;
}

/** How many requests a source gets at once, and how many more calls may wait for one of them to end. */
const BOUNDS = { atOnce: 64, waiting: 1000 };

/** Opens the sources of a configuration. Rejects with a ConfigError if one cannot be used, or two provide a fact. */
export async function openSources(
  config: SourcesConfig,
  tables: SourceTables,
  states: SourceStates,
): Promise<OpenSources> {
  const open: OpenSource[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(open.map((one) => one.close()));
  };
  try {
    for (const [name, own] of Object.entries(config.from))
      open.push(await openSource(name, own, config, tables.get(name), states));
    const gatherer = new FactGatherer(
      open.map(({ source }) => source),
      {
        deadline: config.deadline,
        caller: config.caller,
        maxSkew: config.maxSkew,
        bounds: BOUNDS,
        tell: (source: string, call: SourceCall) => states.asked(source, call),
      },
    );
    return { gatherer, close };
  } catch (error) {
    await close();
    throw error instanceof TypeError ? new ConfigError(error.message, 'sources.from') : error;
  }
}

async function openSource(
  name: string,
  own: SourceConfig,
  { deadline: usual }: SourcesConfig,
  stored: SourceTable | undefined,
  states: SourceStates,
): Promise<OpenSource> {
  const { of, http, key, caller, notFound, cost, cache, selects, deadline = usual } = own;
  const shared = {
    of,
    name,
    deadline,
    notFound,
    cache,
    selects,
    ...(key !== undefined && { key: { fact: key } }),
    ...(caller !== undefined && { caller }),
    ...(cost !== undefined && { cost }),
  };
  const { source, close } =
    http === undefined
      ? await openSql(name, own, stored as SourceTable, shared, states)
      : await openHttp(http, own, shared);
  return { source: watched(source, name, states), close };
}

type Shared = Pick<ServedSource, 'of' | 'name' | 'notFound' | 'cache' | 'selects'> & { readonly deadline: number };

async function openHttp(
  {
    url,
    maxKeys,
    tokenFile,
    forward,
    items,
    id,
    attributes,
    nulls,
    notFound,
    plainHttp,
  }: NonNullable<SourceConfig['http']>,
  { provides = {} }: SourceConfig,
  shared: Shared,
): Promise<OpenSource> {
  const { httpSource } = await import('./http-source.js');
  const { source, close } = httpSource({
    ...shared,
    url,
    types: provides as HttpTypes,
    items,
    id,
    attributes,
    plainHttp,
    tokenFile,
    forwards: forward !== undefined,
    ...(url.includes('{ids}') && { maxKeys }),
    ...(notFound !== undefined && { missingStatus: notFound as 404 | 410 }),
  });
  return { source: { ...source, ...(nulls !== undefined && { nulls }) }, close };
}

type HttpTypes = NonNullable<ServedSource['types']>;

async function openSql(
  name: string,
  own: SourceConfig,
  stored: SourceTable,
  shared: Shared,
  states: SourceStates,
): Promise<OpenSource> {
  const { postgresqlSource } = await import('./postgresql-source.js');
  const { url, maxConnections } = own.sql as NonNullable<SourceConfig['sql']>;
  return postgresqlSource({
    url,
    maxConnections,
    timeout: shared.deadline,
    stored,
    of: { ...shared, provides: listProvided(own, stored.table) },
    onProblem: (error) => states.lost(name, error),
  });
}

/** Keeps the kind of each error, never its text, which may have data in it. */
function watched(source: ServedSource, name: string, states: SourceStates): ServedSource {
  return {
    ...source,
    load: async (keys, context) => {
      try {
        return await source.load(keys, context);
      } catch (error) {
        // Whoever gave up, at the deadline or before, says so.
        if (!context.signal.aborted) states.failed(name, error);
        throw error;
      }
    },
  };
}
