import { globals } from './globals.js';
import { keySets } from './key-sets.js';
import { address, anything, bool, duration, fileMode, integer, name, oneOf, text, texts, type ValueType } from './value-types.js';

/** What the server makes of a key. */
export type ConfigKey = UsedKey<unknown> | IgnoredKey | RefusedKey | QuietKey;

/** A key that the server reads. */
export interface UsedKey<T> {
  readonly kind: 'used';
  readonly type: ValueType<T>;
  readonly default: T;
}

/** A key that is accepted with a warning: that it has no effect changes no decision and opens nothing. */
interface IgnoredKey {
  readonly kind: 'ignored';
  readonly type: ValueType<unknown>;
  readonly why: string;
  /** A value that needs no warning. */
  readonly harmless: (value: unknown) => boolean;
}

/** A key that must not ask for anything: doing as if it were not there would be unsafe or misleading. */
interface RefusedKey {
  readonly kind: 'refused';
  readonly type: ValueType<unknown>;
  readonly why: string;
  readonly harmless: (value: unknown) => boolean;
}

/** A key that is accepted without a word: it only says how something works that another key refuses. */
interface QuietKey {
  readonly kind: 'quiet';
}

const MEBI = 1024 * 1024;

/**
 * Every key of a configuration file (server.md 2.2). A block is known when a key below it is; what is not in this table is a
 * start-up error. A key that ends in `.*` stands for whatever is below it.
 */
export const KEYS = {
  'server.httpListenAddr': used(address, { kind: 'tcp', host: undefined, port: 3592 }),
  'server.grpcListenAddr': used(address, { kind: 'tcp', host: undefined, port: 3593 }),
  'server.udsFileMode': used(fileMode, 0o766),
  'server.tls.*': refused('TLS is not supported yet'),
  'server.cors.disabled': used(bool, false),
  'server.cors.allowedOrigins': used(texts, []),
  'server.cors.allowedHeaders': used(texts, ['accept', 'content-type', 'user-agent', 'x-requested-with']),
  'server.cors.maxAge': used(duration(), 0),
  'server.requestLimits.maxActionsPerResource': used(integer(1, 500), 50),
  'server.requestLimits.maxResourcesPerRequest': used(integer(1, 500), 50),
  'server.metricsEnabled': ignored(bool, 'metrics are not served yet'),
  'server.logRequestPayloads': refused('payloads are not logged yet', bool, isFalse),
  'server.apiExplorerEnabled': ignored(bool, 'the explorer is not served yet'),
  'server.adminAPI.enabled': ignored(bool, 'the admin API is not served yet'),
  'server.adminAPI.adminCredentials.*': ignored(anything, 'the admin API is not served yet'),
  'server.playgroundEnabled': ignored(bool, 'there is no playground'),
  'server.embeddedMode': ignored(bool, 'there is no such mode'),
  'server.advanced.http.readTimeout': used(duration(), 30_000),
  'server.advanced.http.readHeaderTimeout': used(duration(), 15_000),
  'server.advanced.http.writeTimeout': used(duration(), 30_000),
  'server.advanced.http.idleTimeout': used(duration(), 120_000),
  'server.advanced.grpc.maxRecvMsgSizeBytes': used(integer(1, 1024 * MEBI), 4 * MEBI),
  'server.advanced.grpc.maxConcurrentStreams': used(integer(0, 2 ** 31 - 1), 1024),
  'server.advanced.grpc.maxConnectionAge': used(duration(), 600_000),
  'server.advanced.grpc.connectionTimeout': ignored(duration(), 'the platform decides how long a handshake may take'),

  'engine.defaultPolicyVersion': used(name, 'default'),
  'engine.defaultScope': used(text, ''),
  'engine.lenientScopeSearch': used(bool, false),
  'engine.globals': used(globals, {}),
  'engine.strictEvaluation': used(bool, false),
  'engine.plan.referenceShapes': used(bool, false),
  'engine.celErrorLogLevel': ignored(oneOf('none', 'debug', 'info', 'warn', 'error'), 'condition errors are not logged yet'),
  'engine.policyLoaderTimeout': ignored(duration(), 'policies are compiled into the bundle'),
  'engine.numWorkers': ignored(anything, 'one thread decides'),

  'auxData.jwt.keySets': used(keySets, []),
  'auxData.jwt.disableVerification': used(bool, false),
  'auxData.jwt.acceptableTimeSkew': used(duration(), 0),
  'auxData.jwt.cacheSize': ignored(anything, 'verified tokens are not kept'),

  'schema.enforcement': used(oneOf('none', 'warn', 'reject'), 'none'),
  'schema.cacheSize': ignored(anything, 'schemas are compiled into the bundle'),

  'audit.enabled': refused('the audit log is not supported yet', bool, isFalse),
  'audit.*': quiet(),

  'storage.driver': ignored(text, 'policies are compiled into the bundle', (value) => value === 'disk'),
  'storage.disk.directory': used<string | undefined>(name, undefined),
  'storage.disk.watchForChanges': ignored(bool, 'a bundle does not change'),
  'storage.disk.scratchDir': ignored(anything, 'nothing is unpacked'),
  'storage.*': ignored(anything, 'policies are compiled into the bundle'),

  'compile.*': ignored(anything, 'policies are compiled into the bundle'),
  'telemetry.disabled': refused('this server reports to nobody', bool, (value) => value === true),
  'telemetry.*': quiet(),
  'hub.*': ignored(anything, 'there is no such service'),
  'tracing.*': ignored(anything, 'traces are not exported yet'),
} as const satisfies { readonly [path: string]: ConfigKey };

function used<T>(type: ValueType<T>, value: NoInfer<T>): UsedKey<T> {
  return { kind: 'used', type, default: value };
}

function ignored(type: ValueType<unknown>, why: string, harmless: (value: unknown) => boolean = isFalse): IgnoredKey {
  return { kind: 'ignored', type, why, harmless };
}

function refused(why: string, type: ValueType<unknown> = anything, harmless: (value: unknown) => boolean = isNothing): RefusedKey {
  return { kind: 'refused', type, why, harmless };
}

function quiet(): QuietKey {
  return { kind: 'quiet' };
}

function isFalse(value: unknown): boolean {
  return value === false;
}

function isNothing(value: unknown): boolean {
  return value === null || value === '' || value === false;
}
