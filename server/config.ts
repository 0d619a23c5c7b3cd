import { readFileSync } from 'node:fs';
import type { AliasConfig } from './config/aliases.js';
import type { AuditConfig } from './config/audit-config.js';
import type { Address } from './config/address.js';
import { checkAgreements } from './config/agreements.js';
import { auditOf } from './config/audit.js';
import type { BundleConfig } from './config/bundle-config.js';
import { bundleOf } from './config/bundle.js';
import { ConfigError } from './config/config-error.js';
import type { GatewayRoute } from './config/gateway.js';
import type { KeySetConfig } from './config/key-sets.js';
import { emptyMap, type MapNode } from './config/node.js';
import { readConfig } from './config/read.js';
import { type RolloutConfig, rolloutOf } from './config/rollout.js';
import { type S3Config, s3Of } from './config/s3.js';
import { applySet, flagPlace } from './config/set.js';
import { type Settings, type Settled, settle } from './config/settings.js';
import { type Environment, substitute } from './config/substitute.js';

export { ConfigError } from './config/config-error.js';

/**
 * How the server runs (docs/spec/server.md#configuration): plain data, which can be handed to another process.
 * Durations are milliseconds, sizes bytes.
 */
export interface Config {
  readonly server: {
    readonly httpListenAddr: Address;
    readonly grpcListenAddr: Address;
    readonly udsFileMode: number;
    /** Undefined: plaintext. */
    readonly tls: TlsConfig | undefined;
    readonly cors: CorsConfig;
    readonly requestLimits: {
      readonly maxActionsPerResource: number;
      readonly maxResourcesPerRequest: number;
      /** 0: no limit. */
      readonly maxUnfinishedBytes: number;
    };
    readonly metricsEnabled: boolean;
    readonly logRequestPayloads: boolean;
    readonly apiExplorerEnabled: boolean;
    /** Undefined: the admin API is off. */
    readonly adminAPI: AdminConfig | undefined;
    /** Whether decisions are explained to the admin. */
    readonly explain: boolean;
    /** Undefined: the caller of AuthZEN says what the subject is. */
    readonly tokenSubject: TokenSubjectConfig | undefined;
    /** Undefined: proxies are not answered. */
    readonly gateway: GatewayConfig | undefined;
    /** Other names of the same RPCs. */
    readonly aliases: readonly AliasConfig[];
    /** Undefined: one a core. */
    readonly workers: number | undefined;
    /** The bundle is loaded again when its file changes. */
    readonly watchBundle: boolean;
    /** Between NOT_SERVING and the end of listening. */
    readonly shutdownGrace: number;
    readonly http: {
      readonly readTimeout: number;
      readonly readHeaderTimeout: number;
      readonly writeTimeout: number;
      readonly idleTimeout: number;
    };
    readonly grpc: {
      readonly maxRecvMsgSizeBytes: number;
      readonly maxConcurrentStreams: number;
      readonly maxConnectionAge: number;
      readonly connectionTimeout: number;
    };
  };
  readonly engine: {
    readonly defaultPolicyVersion: string;
    readonly defaultScope: string;
    readonly lenientScopeSearch: boolean;
    readonly strictEvaluation: boolean;
    /** Plans in the shapes of the reference (docs/spec/plans.md#reference-shapes). */
    readonly referenceShapes: boolean;
    /** How plans say that an attribute is missing (docs/spec/plans.md#missing-as-null). */
    readonly missing: 'has' | 'nulls';
    readonly globals: { readonly [name: string]: unknown };
    readonly limits: { readonly evaluationCost: number; readonly evaluationMemory: number };
    /** The level at which failures of conditions are logged. */
    readonly celErrorLogLevel: 'none' | 'debug' | 'info' | 'warn' | 'error';
  };
  readonly bundle: BundleConfig;
  readonly audit: AuditConfig;
  /** Undefined: tenants have no roles of their own. */
  readonly tenants: TenantsConfig | undefined;
  readonly rollout: RolloutConfig;
  readonly schemaEnforcement: 'none' | 'warn' | 'reject';
  readonly jwt: {
    readonly keySets: readonly KeySetConfig[];
    readonly disableVerification: boolean;
    readonly acceptableTimeSkew: number;
  };
  /** Where policies are compiled from, for a server that compiles; undefined when the configuration does not say. */
  readonly policyDirectory: string | undefined;
  /** Whether a server that compiles does so again when a policy changes. */
  readonly watchPolicies: boolean;
}

/** PEM files (docs/spec/server.md#tls). */
export interface TlsConfig {
  readonly cert: string;
  readonly key: string;
  /** The authorities of client certificates, which are then verified if presented. */
  readonly caCert: string | undefined;
  /** The files are read again when they change. */
  readonly watch: boolean;
}

/** How the claims of a token become the subject of an AuthZEN request. A list of names leads to a claim. */
export interface TokenSubjectConfig {
  /** One of these must be in the `aud` of a token; empty: any audience. */
  readonly audiences: readonly string[];
  readonly id: readonly string[];
  readonly roles: readonly string[];
  /** Of a token without roles. */
  readonly defaultRoles: readonly string[];
  /** By the name of the attribute. */
  readonly attributes: { readonly [name: string]: readonly string[] };
  /** Undefined: the default scope. */
  readonly scope: readonly string[] | undefined;
}

/** How requests of proxies are decided. Names of headers are in lower case. */
export interface GatewayConfig {
  /** In CIDR notation, or `unix`. */
  readonly peers: readonly string[];
  readonly methodHeader: string;
  readonly pathHeader: string;
  /** The headers with the principal; undefined: it comes from a token. */
  readonly headers: { readonly id: string; readonly roles: string } | undefined;
  readonly token: TokenSubjectConfig;
  /** Empty: there is only one. */
  readonly keySet: string;
  /** The headers of responses. */
  readonly identity: {
    readonly id: string;
    readonly roles: string;
    /** By the name of the attribute. */
    readonly attributes: { readonly [name: string]: string };
  };
  readonly routes: readonly GatewayRoute[];
}

/** Where the roles of tenants come from, and how they are kept. Times are in milliseconds, sizes in bytes. */
export interface TenantsConfig {
  /** A folder, a URL of HTTP or S3 with `{tenant}`, or a connection string of PostgreSQL. */
  readonly source: string;
  readonly maxAge: number;
  readonly maxStale: number;
  readonly timeout: number;
  readonly maxTenants: number;
  readonly maxBytes: number;
  /** Of HTTP. */
  readonly tokenFile: string | undefined;
  readonly s3: S3Config;
  readonly postgresql: { readonly query: string; readonly maxConnections: number };
}

/** The one user of the admin API (docs/spec/server.md#admin-authentication). */
export interface AdminConfig {
  readonly username: string;
  /** Of bcrypt, as bcryptjs takes it. */
  readonly passwordHash: string;
}

export interface CorsConfig {
  readonly disabled: boolean;
  /** Empty: all. */
  readonly allowedOrigins: readonly string[];
  readonly allowedHeaders: readonly string[];
  readonly maxAge: number;
}

/** Where a configuration comes from: a file or none, and the overrides of the command line, in order. */
export interface ConfigSources {
  readonly file?: string | undefined;
  readonly sets?: readonly string[];
  readonly environment?: Environment;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly warnings: readonly string[];
  /** Where each key that was set was set: `file:line:column`, or the flag. */
  readonly places: ReadonlyMap<string, string>;
}

/**
 * The configuration of a server (docs/spec/server.md#configuration): the file with the environment put in, the
 * overrides over it, defaults for the rest. Warnings name the keys that have no effect. Throws a ConfigError for
 * whatever the server must not start with.
 */
export function loadConfig(sources: ConfigSources): LoadedConfig {
  const { settings, warnings, places } = loadSettings(sources);
  return { config: configOf(settings), warnings, places };
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

function readFile(file: string, environment: Environment): MapNode {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown reason'}`, file);
  }
  return readConfig(substitute(text, environment, file), file);
}

function configOf(settings: Settings): Config {
  return {
    server: {
      httpListenAddr: settings['server.httpListenAddr'],
      grpcListenAddr: settings['server.grpcListenAddr'],
      udsFileMode: settings['server.udsFileMode'],
      tls: tlsOf(settings),
      cors: {
        disabled: settings['server.cors.disabled'],
        allowedOrigins: settings['server.cors.allowedOrigins'],
        allowedHeaders: settings['server.cors.allowedHeaders'],
        maxAge: settings['server.cors.maxAge'],
      },
      requestLimits: {
        maxActionsPerResource: settings['server.requestLimits.maxActionsPerResource'],
        maxResourcesPerRequest: settings['server.requestLimits.maxResourcesPerRequest'],
        maxUnfinishedBytes: settings['server.requestLimits.maxUnfinishedBytes'],
      },
      metricsEnabled: settings['server.metricsEnabled'],
      logRequestPayloads: settings['server.logRequestPayloads'],
      apiExplorerEnabled: settings['server.apiExplorerEnabled'],
      adminAPI: adminOf(settings),
      explain: settings['server.explain.enabled'],
      tokenSubject: tokenSubjectOf(settings),
      gateway: gatewayOf(settings),
      aliases: settings['server.aliases'],
      workers: settings['server.workers'],
      watchBundle: settings['server.watchBundle'],
      shutdownGrace: settings['server.shutdownGrace'],
      http: {
        readTimeout: settings['server.advanced.http.readTimeout'],
        readHeaderTimeout: settings['server.advanced.http.readHeaderTimeout'],
        writeTimeout: settings['server.advanced.http.writeTimeout'],
        idleTimeout: settings['server.advanced.http.idleTimeout'],
      },
      grpc: {
        maxRecvMsgSizeBytes: settings['server.advanced.grpc.maxRecvMsgSizeBytes'],
        maxConcurrentStreams: settings['server.advanced.grpc.maxConcurrentStreams'],
        maxConnectionAge: settings['server.advanced.grpc.maxConnectionAge'],
        connectionTimeout: settings['server.advanced.grpc.connectionTimeout'],
      },
    },
    engine: {
      defaultPolicyVersion: settings['engine.defaultPolicyVersion'],
      defaultScope: settings['engine.defaultScope'],
      lenientScopeSearch: settings['engine.lenientScopeSearch'],
      strictEvaluation: settings['engine.strictEvaluation'],
      referenceShapes: settings['engine.plan.referenceShapes'],
      missing: settings['engine.plan.missing'],
      globals: settings['engine.globals'],
      limits: {
        evaluationCost: settings['engine.limits.evaluationCost'],
        evaluationMemory: settings['engine.limits.evaluationMemory'],
      },
      celErrorLogLevel: settings['engine.celErrorLogLevel'],
    },
    bundle: bundleOf(settings),
    audit: auditOf(settings),
    tenants: tenantsOf(settings),
    rollout: rolloutOf(settings),
    schemaEnforcement: settings['schema.enforcement'],
    jwt: {
      keySets: settings['auxData.jwt.keySets'],
      disableVerification: settings['auxData.jwt.disableVerification'],
      acceptableTimeSkew: settings['auxData.jwt.acceptableTimeSkew'],
    },
    policyDirectory: settings['storage.disk.directory'],
    watchPolicies: settings['storage.disk.watchForChanges'],
  };
}

/** TLS is on if there is a certificate; an empty path counts as none (docs/spec/server.md#tls). */
function tlsOf(settings: Settings): TlsConfig | undefined {
  const cert = settings['server.tls.cert'] ?? '';
  const key = settings['server.tls.key'] ?? '';
  if (cert === '' || key === '') return undefined;
  const caCert = settings['server.tls.caCert'] ?? '';
  return { cert, key, caCert: caCert === '' ? undefined : caCert, watch: settings['server.tls.watch'] };
}

function tokenSubjectOf(settings: Settings): TokenSubjectConfig | undefined {
  if (settings['server.authzen.subject'] === 'caller') return undefined;
  return tokenOf(settings, 'authzen');
}

function tokenOf(settings: Settings, block: 'authzen' | 'gateway'): TokenSubjectConfig {
  return {
    audiences: settings[`server.${block}.token.audiences`],
    id: settings[`server.${block}.token.id`],
    roles: settings[`server.${block}.token.roles`],
    defaultRoles: settings[`server.${block}.token.defaultRoles`],
    attributes: settings[`server.${block}.token.attributes`],
    scope: settings[`server.${block}.token.scope`],
  };
}

function gatewayOf(settings: Settings): GatewayConfig | undefined {
  if (!settings['server.gateway.enabled']) return undefined;
  return {
    peers: settings['server.gateway.peers'],
    methodHeader: settings['server.gateway.methodHeader'],
    pathHeader: settings['server.gateway.pathHeader'],
    headers:
      settings['server.gateway.principal'] === 'token'
        ? undefined
        : { id: settings['server.gateway.headers.id'], roles: settings['server.gateway.headers.roles'] },
    token: tokenOf(settings, 'gateway'),
    keySet: settings['server.gateway.token.keySet'],
    identity: {
      id: settings['server.gateway.identity.id'],
      roles: settings['server.gateway.identity.roles'],
      attributes: settings['server.gateway.identity.attributes'],
    },
    routes: settings['server.gateway.routes'],
  };
}

function adminOf(settings: Settings): AdminConfig | undefined {
  const username = settings['server.adminAPI.adminCredentials.username'];
  const passwordHash = settings['server.adminAPI.adminCredentials.passwordHash'];
  if (!settings['server.adminAPI.enabled'] || username === undefined || passwordHash === undefined) return undefined;
  return { username, passwordHash };
}

/** Roles of tenants are on if there is a source. */
function tenantsOf(settings: Settings): TenantsConfig | undefined {
  const source = settings['tenants.source'];
  if (source === undefined) return undefined;
  return {
    source,
    maxAge: settings['tenants.maxAge'],
    maxStale: settings['tenants.maxStale'],
    timeout: settings['tenants.timeout'],
    maxTenants: settings['tenants.cache.maxTenants'],
    maxBytes: settings['tenants.cache.maxSizeMB'] * 1024 * 1024,
    tokenFile: settings['tenants.http.tokenFile'],
    s3: s3Of(settings, 'tenants'),
    postgresql: {
      query: settings['tenants.postgresql.query'],
      maxConnections: settings['tenants.postgresql.maxConnections'],
    },
  };
}
