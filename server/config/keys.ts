import { auditKeys } from './audit-keys.js';
import { passwordHash, username } from './credentials.js';
import { globals } from './globals.js';
import { type ConfigKey, ignored, isFalse, quiet, refused, used } from './key.js';
import { keySets } from './key-sets.js';
import { address, anything, bool, duration, fileMode, integer, name, oneOf, path, text, texts } from './value-types.js';

const MEBI = 1024 * 1024;

/**
 * Every key of a configuration file (docs/spec/server.md#configuration). A block is known when a key below it is; what
 * is not in this table is a start-up error. A key that ends in `.*` stands for whatever is below it. Documentation and
 * JSON Schema are printed from this table.
 */
export const KEYS = {
  'server.httpListenAddr': used(
    address,
    { kind: 'tcp', host: undefined, port: 3592 },
    'where REST, Connect and gRPC-Web are served',
  ),
  'server.grpcListenAddr': used(address, { kind: 'tcp', host: undefined, port: 3593 }, 'where gRPC is served'),
  'server.udsFileMode': used(fileMode, 0o766, 'the mode of socket files'),
  'server.tls.cert': used<string | undefined>(
    path,
    undefined,
    'the certificate chain (PEM) of both listeners; with `server.tls.key` it turns TLS on',
  ),
  'server.tls.key': used<string | undefined>(path, undefined, 'the private key (PEM) of the certificate'),
  'server.tls.caCert': used<string | undefined>(
    path,
    undefined,
    'the authorities (PEM) that client certificates must be from; a client may also present none',
  ),
  'server.tls.watch': used(bool, true, 'the three files are read again when they change'),
  'server.cors.disabled': used(bool, false, 'no CORS headers are sent'),
  'server.cors.allowedOrigins': used(texts, [], 'exact origins, or with one `*` inside; none: all'),
  'server.cors.allowedHeaders': used(
    texts,
    ['accept', 'content-type', 'user-agent', 'x-requested-with'],
    'the headers that a browser may send; clients of Connect need `connect-protocol-version` and `connect-timeout-ms` too, those of gRPC-Web `x-grpc-web`, `x-user-agent` and `grpc-timeout`',
  ),
  'server.cors.maxAge': used(duration(), 0, 'how long a browser may keep the answer to a preflight'),
  'server.requestLimits.maxActionsPerResource': used(integer(1, 500), 50, 'the most actions of one entry of a check'),
  'server.requestLimits.maxResourcesPerRequest': used(integer(1, 500), 50, 'the most resources of one check'),
  'server.metricsEnabled': used(bool, true, 'metrics are served at `/_authz/metrics`'),
  'server.logRequestPayloads': used(bool, false, 'requests and answers are logged, tokens taken out'),
  'server.apiExplorerEnabled': used(bool, true, 'the API explorer is served at `/`'),
  'server.adminAPI.enabled': used(bool, false, 'the admin API is served; it wants both credentials'),
  'server.adminAPI.adminCredentials.username': used<string | undefined>(
    username,
    undefined,
    'the one user of the admin API',
  ),
  'server.adminAPI.adminCredentials.passwordHash': used<string | undefined>(
    passwordHash,
    undefined,
    "base64 of a bcrypt hash of the user's password",
  ),
  'server.workers': used<number | undefined>(
    integer(1, 256),
    undefined,
    'how many processes serve; one a core when not set',
  ),
  'server.watchBundle': used(
    bool,
    true,
    'a new bundle of policies is taken over when its file changes; SIGHUP has it looked at in any case',
  ),
  'server.shutdownGrace': used(
    duration(),
    200,
    'how long calls are still accepted after the server was told to stop and says that it is not serving',
  ),
  'server.playgroundEnabled': ignored(bool, 'there is no playground'),
  'server.embeddedMode': ignored(bool, 'there is no such mode'),
  'server.advanced.http.readTimeout': used(
    duration(),
    30_000,
    'how long a whole request may take to arrive, over HTTP and gRPC; where a request is a stream, each of its messages',
  ),
  'server.advanced.http.readHeaderTimeout': used(
    duration(),
    15_000,
    'how long its headers may take, and whatever comes before them on the HTTP port: the TLS handshake and the preface of HTTP/2',
  ),
  'server.advanced.http.writeTimeout': used(
    duration(),
    30_000,
    'how long a client may take to receive an answer. Of a stream, such as a health watch, what is ready to be sent',
  ),
  'server.advanced.http.idleTimeout': used(
    duration(),
    120_000,
    'how long a connection without a call is kept, on both ports',
  ),
  'server.advanced.grpc.maxRecvMsgSizeBytes': used(
    integer(1, 1024 * MEBI),
    4 * MEBI,
    'the largest message, in bytes of its protobuf encoding; bounds REST bodies too',
  ),
  'server.advanced.grpc.maxConcurrentStreams': used(
    integer(0, 2 ** 31 - 1),
    1024,
    'the most calls at a time over one connection; 0: any number',
  ),
  'server.advanced.grpc.maxConnectionAge': used(
    duration(),
    600_000,
    'connections of HTTP/2 are recycled after so long; calls under way have `readTimeout` and `writeTimeout` together to end. 0: never',
  ),
  'server.advanced.grpc.connectionTimeout': used(
    duration(1),
    60_000,
    'how long a connection to the gRPC port may take until its TLS handshake and the preface of HTTP/2 are done',
  ),

  'engine.defaultPolicyVersion': used(name, 'default', 'the policy version of requests that name none'),
  'engine.defaultScope': used(text, '', 'the scope of requests that name none'),
  'engine.lenientScopeSearch': used(bool, false, 'parent scopes are searched when the requested one has no policy'),
  'engine.globals': used(globals, {}, 'what conditions see as `globals`'),
  'engine.strictEvaluation': used(bool, false, 'a condition that fails denies the action'),
  'engine.plan.referenceShapes': used(
    bool,
    false,
    'plans are written in the shapes of the reference, for adapters that compare them; under strict evaluation only those that mean the same in it',
  ),
  'engine.limits.evaluationCost': used(
    integer(1000, Number.MAX_SAFE_INTEGER),
    50_000_000,
    'how much the conditions of one call may cost, in steps of about ten nanoseconds: elements that macros and list functions visit, bytes that are read and made, and outputs, which each role of the caller repeats; a call that needs more fails with 429 / RESOURCE_EXHAUSTED',
  ),
  'engine.limits.evaluationMemory': used(
    integer(MEBI, 1024 * MEBI),
    100 * MEBI,
    'how much memory the values may take that conditions make, in bytes; of a check, for each resource; more fails likewise',
  ),
  'engine.celErrorLogLevel': used(
    oneOf('none', 'debug', 'info', 'warn', 'error'),
    'warn',
    'the level at which failures of conditions are logged',
  ),
  'engine.policyLoaderTimeout': ignored(duration(), 'policies are compiled into the bundle'),
  'engine.numWorkers': ignored(anything, '`server.workers` says how many processes decide'),

  'auxData.jwt.keySets': used(keySets, [], 'the keys that verify tokens'),
  'auxData.jwt.disableVerification': used(
    bool,
    false,
    'signatures are not verified: for a server whose callers have done so',
  ),
  'auxData.jwt.acceptableTimeSkew': used(duration(), 0, 'how far `exp`, `nbf` and `iat` may be off the clock'),
  'auxData.jwt.cacheSize': ignored(anything, 'verified tokens are not kept'),

  'schema.enforcement': used(oneOf('none', 'warn', 'reject'), 'none', 'what violations of JSON Schemas lead to'),
  'schema.cacheSize': ignored(anything, 'schemas are compiled into the bundle'),

  ...auditKeys,

  'storage.driver': ignored(text, 'policies are compiled into the bundle', (value) => value === 'disk'),
  'storage.disk.directory': used<string | undefined>(
    name,
    undefined,
    'where `authzc serve` compiles policies from; `policies` when not set',
  ),
  'storage.disk.watchForChanges': ignored(bool, '`authzc serve --watch` and `server.watchBundle` watch'),
  'storage.disk.scratchDir': ignored(anything, 'nothing is unpacked'),
  'storage.*': ignored(anything, 'policies are compiled into the bundle'),

  'compile.*': ignored(anything, 'policies are compiled into the bundle'),
  'telemetry.disabled': refused('this server reports to nobody', bool, (value) => value === true),
  'telemetry.*': quiet(),
  'hub.*': ignored(anything, 'there is no such service', isFalse),
  'tracing.*': ignored(anything, 'traces are configured by the environment variables of OpenTelemetry'),
} as const satisfies { readonly [path: string]: ConfigKey };
