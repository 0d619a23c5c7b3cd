import { readFileSync } from 'node:fs';
import { checkAgreements } from './config/agreements.js';
import { createAuditConfig } from './config/audit-config.js';
import { createBundleConfig, createRolloutConfig } from './config/bundle-config.js';
import { ConfigError } from './config/config-error.js';
import { createKeySetConfig } from './config/key-sets.js';
import type { KeyPath, Settings } from './config/keys.js';
import { emptyMap, type MapNode } from './config/node.js';
import { readConfig } from './config/read.js';
import { withoutEmptyPath } from './config/s3.js';
import { applySet, flagPlace } from './config/set.js';
import { examine, type Settled, settle, throwProblems } from './config/settings.js';
import { type Environment, namesVariable, substitute } from './config/substitute.js';
import { explainReadError } from './read-error.js';

export { ConfigError } from './config/config-error.js';

/**
 * How the server runs (docs/spec/server.md#configuration): plain data, which can be handed to another process.
 * Durations are milliseconds, sizes bytes.
 */
export type Config = ReturnType<typeof createConfig>;
/** PEM files (docs/spec/server.md#tls). */
export type TlsConfig = NonNullable<Config['server']['tls']>;
export type CorsConfig = Config['server']['cors'];
/** How proxies are answered. */
export type GatewayConfig = NonNullable<Config['server']['gateway']>;
/** How the claims of a token become the subject of an AuthZEN request. A list of names leads to a claim. */
export type TokenSubjectConfig = NonNullable<Config['server']['tokenSubject']>;
/** Where the roles of tenants come from, and how they are kept. */
export type TenantsConfig = NonNullable<Config['tenants']>;

/** Where facts come from that callers do not send. */
export type SourcesConfig = NonNullable<Config['sources']>;

/** Where a configuration comes from: a file or none, and the overrides of the command line, in order. */
export interface ConfigSources {
  readonly file?: string | undefined;
  readonly sets?: readonly string[];
  readonly environment?: Environment;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly string[];
  /** Where each key that was set, and each item of its list, was set: `file:line:column`, or the flag. */
  readonly places: ReadonlyMap<string, string>;
}

/**
 * The configuration of a server (docs/spec/server.md#configuration): the file with the environment put in, the
 * overrides over it, defaults for the rest. Warnings name the keys that have no effect. Throws a ConfigError for
 * whatever the server must not start with.
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const settled = loadSettings(sources);
  return { config: createConfig(settled), warnings: settled.warnings, places: settled.places };
}

/** The same, key by key, with the place of each. */
export function loadSettings(sources: ConfigSources): Settled {
  const environment = sources.environment ?? process.env;
  let root = sources.file === undefined ? emptyMap('defaults') : readFile(sources.file, environment);
  for (const flag of sources.sets ?? []) root = applySet(root, substitute(flag, environment, flagPlace(flag)));
  const settled = settle(root);
  checkAgreements(settled);
  return settled;
}

/**
 * `sources` of a configuration, for programs that ask none of them: its text may name environment variables that are not set.
 * Throws a ConfigError.
 */
export function readSources(text: string, file: string, environment: Environment = process.env): SourcesConfig {
  const root = readConfig(substitute(text, environment, file, { keepsUnset: true }), file);
  const sources = root.entries.get('sources');
  if (sources === undefined) throw new ConfigError('it has no `sources`', file);
  const { settled, problems } = examine(
    { ...root, entries: new Map([['sources', sources]]) },
    (node) => node.kind === 'scalar' && typeof node.value === 'string' && namesVariable(node.value),
  );
  return settled === undefined ? throwProblems(problems) : settled.settings.sources;
}

function readFile(file: string, environment: Environment): MapNode {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(explainReadError(error), file);
  }
  return readConfig(substitute(text, environment, file), file);
}

function createConfig({ settings, places }: Settled) {
  const { server, engine, bundle, auxData, schema, tenants, sources, audit, storage } = settings;
  const { advanced, authzen, explain, gateway, ...listeners } = server;
  const { plan, ...evaluation } = engine;
  return {
    server: {
      ...listeners,
      ...advanced,
      /** Undefined: plaintext. */
      tls: createTls(server.tls),
      /** Undefined: the admin API is off. */
      adminAPI: createAdmin(server.adminAPI),
      explain: explain.enabled,
      /** Undefined: the caller of AuthZEN says what the subject is. */
      tokenSubject: authzen.subject === 'caller' ? undefined : authzen.token,
      /** Undefined: proxies are not answered. */
      gateway: gateway.enabled
        ? { ...createGateway(gateway), routes: withPlaces(gateway.routes, 'server.gateway.routes', places) }
        : undefined,
    },
    engine: { ...evaluation, ...plan },
    bundle: createBundleConfig(bundle),
    audit: createAuditConfig(audit),
    /** Undefined: tenants have no roles of their own. */
    tenants: createTenants(tenants),
    /** Undefined: callers send all facts. */
    sources: Object.keys(sources.from).length === 0 ? undefined : sources,
    rollout: createRolloutConfig(bundle),
    schemaEnforcement: schema.enforcement,
    jwt: {
      ...auxData.jwt,
      keySets: withPlaces(auxData.jwt.keySets.map(createKeySetConfig), 'auxData.jwt.keySets', places),
    },
    /** Where a server that compiles finds policies; undefined when the configuration does not say. */
    policyDirectory: storage.disk.directory,
    watchPolicies: storage.disk.watchForChanges,
  };
}

/** The items of a list, each with its place. */
function withPlaces<T>(
  items: readonly T[],
  key: KeyPath,
  places: Settled['places'],
): readonly (T & { readonly place: string })[] {
  return items.map((item, index) => ({ ...item, place: places.get(`${key}[${index}]`) ?? 'defaults' }));
}

/** TLS is on if there is a certificate; an empty path counts as none (docs/spec/server.md#tls). */
function createTls({ cert, key, caCert, watch }: Settings['server']['tls']) {
  return cert && key ? { cert, key, caCert: caCert || undefined, watch } : undefined;
}

/** The one user of the admin API (docs/spec/server.md#admin-authentication). */
function createAdmin({ enabled, adminCredentials: { username, passwordHash } }: Settings['server']['adminAPI']) {
  return !enabled || username === undefined || passwordHash === undefined ? undefined : { username, passwordHash };
}

/** The principal comes from headers, or from a token. */
function createGateway({ enabled, principal, token, headers, ...gateway }: Settings['server']['gateway']) {
  const { keySet, ...claims } = token;
  return { ...gateway, headers: principal === 'token' ? undefined : headers, token: claims, keySet };
}

/** Roles of tenants are on if there is a source. */
function createTenants({ source, cache, http, s3, ...tenants }: Settings['tenants']) {
  if (source === undefined) return undefined;
  return {
    ...tenants,
    source,
    maxTenants: cache.maxTenants,
    maxBytes: cache.maxSizeMB * 1024 * 1024,
    tokenFile: http.tokenFile,
    s3: withoutEmptyPath(s3),
  };
}
