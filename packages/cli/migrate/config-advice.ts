/** A key of the reference PDP that needs more than the table of keys says. */
export interface KeyAdvice {
  /** What to do about it. */
  readonly advice: string;
  /** Whether somebody must do something before the server decides as before. */
  readonly isOpen?: boolean;
}

/** Values of the block of a key, as plain data. */
export type Values = { readonly [key: string]: unknown };

const ON_DISK = 'policies are compiled: keep them in a folder, and build a bundle in the pipeline (`authzc bundle`)';
const LOG_LEVEL = 'set the level with `--log-level` or `AUTHZ_LOG_LEVEL`; the format follows the terminal';
const NO_CACHE = 'nothing is compiled or cached at run time';

/** Advice by the path of a key or block, which is removed. `block` has the values of the block that the key is in. */
export const REMOVED: { readonly [path: string]: (value: unknown, block: Values) => KeyAdvice } = {
  telemetry: () => ({ advice: 'authz sends no telemetry' }),
  tracing: () => ({
    advice: 'set the variables of OpenTelemetry: `OTEL_TRACES_EXPORTER=otlp`, `OTEL_EXPORTER_OTLP_ENDPOINT`',
  }),
  compile: () => ({ advice: NO_CACHE }),
  log: () => ({ advice: LOG_LEVEL }),
  logger: () => ({ advice: LOG_LEVEL }),
  logging: () => ({ advice: LOG_LEVEL }),
  logLevel: () => ({ advice: LOG_LEVEL }),
  'server.log': () => ({ advice: LOG_LEVEL }),
  'server.logging': () => ({ advice: LOG_LEVEL }),
  'server.logLevel': () => ({ advice: LOG_LEVEL }),
  hub: () => ({
    advice: 'Hub has no counterpart: distribute bundles with `bundle.source`, signed with `bundle.trust`',
  }),
  'server.playgroundEnabled': () => ({ advice: '`server.apiExplorerEnabled` serves the playground' }),
  'server.embeddedMode': () => ({ advice: 'use `authz/runtime` to decide in process' }),
  'engine.numWorkers': () => ({ advice: '`server.workers` sets the number of processes' }),
  'engine.policyLoaderTimeout': () => ({ advice: NO_CACHE }),
  'auxData.jwt.cacheSize': () => ({ advice: 'verified tokens are not cached' }),
  'schema.cacheSize': () => ({ advice: 'schemas are compiled into the bundle' }),
  'storage.disk.scratchDir': () => ({ advice: 'no scratch space is needed' }),
  'storage.git': (value) => ({ advice: gitAdvice(value as Values), isOpen: true }),
  'storage.blob': (value) => ({ advice: blobAdvice(value as Values), isOpen: true }),
  'storage.sqlite3': () => databaseAdvice('SQLite'),
  'storage.postgres': () => databaseAdvice('PostgreSQL'),
  'storage.mysql': () => databaseAdvice('MySQL'),
  'storage.overlay': () => ({
    advice:
      'use one `bundle.source` with `bundle.cache`: while the source is unreachable, the server keeps the last good bundle, also after a restart',
    isOpen: true,
  }),
  'storage.hub': (value) => ({ advice: hubAdvice(value as Values), isOpen: true }),
  'audit.hub': (_value, { backend }) =>
    backend === 'hub'
      ? {
          advice:
            'Hub has no counterpart: `audit.backend` is now `local`; write `mask` as paths of `audit.mask`, such as `principal.attr.ssn`',
          isOpen: true,
        }
      : { advice: 'has no effect with another `audit.backend`' },
};

function gitAdvice({ url, branch, subDir, updatePollInterval, protocol }: Values): string {
  const source = [
    formatValue(url, 'URL'),
    '#',
    formatValue(branch, 'master'),
    ...(subDir === undefined ? [] : [`:${formatValue(subDir, '')}`]),
  ];
  const interval = typeof updatePollInterval === 'string' ? ` --interval ${updatePollInterval}` : '';
  const credentials = protocol === 'file' ? '' : '; git finds credentials as on the command line, not in this file';
  return `run \`authzc serve --git '${source.join('')}'${interval}\`${credentials}; or build bundles in the pipeline and set \`bundle.source\``;
}

function blobAdvice({ bucket, prefix }: Values): string {
  const name = /^s3:\/\/([^/?]+)/.exec(formatValue(bucket, ''))?.[1];
  if (name === undefined)
    return 'this storage is not read: build bundles in the pipeline, and publish them over HTTP or in a registry (`bundle.source`)';
  const folder = prefix === undefined ? '' : `/${formatValue(prefix, '').replace(/^\/+|\/+$/g, '')}`;
  return `build a bundle in the pipeline, store it, and set \`bundle.source: s3://${name}${folder}/policies.authzbundle\` with \`bundle.s3.region\``;
}

function databaseAdvice(name: string): KeyAdvice {
  return {
    advice: `policies are not read from ${name}: export them to a folder (\`cerbosctl store export\`), and migrate that; for roles that customers define at run time, see docs/tenant-roles.md`,
    isOpen: true,
  };
}

function hubAdvice({ local }: Values): string {
  return local === undefined
    ? 'Hub has no counterpart: build bundles from the repository that Hub builds from, and set `bundle.source`'
    : 'bundles of Hub (.crbp) cannot be read: build a bundle from the repository that Hub builds from';
}

/** A driver other than `disk`, whose block says the rest. */
export function driverAdvice(driver: string): KeyAdvice {
  return { advice: `\`${driver}\` is no longer used: ${ON_DISK}` };
}

function formatValue(value: unknown, fallback: string): string {
  return value === undefined || value === null ? fallback : String(value);
}
