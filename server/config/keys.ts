import { aliases } from './aliases.js';
import { auditKeys } from './audit-keys.js';
import { bundleKeys } from './bundle-keys.js';
import {
  address,
  anything,
  bool,
  claimPath,
  claimPaths,
  duration,
  fileMode,
  globals,
  integer,
  name,
  oneOf,
  passwordHash,
  path,
  text,
  texts,
  username,
} from './value-types.js';
import { gatewayRoutes, headerName, headerNames, networks } from './gateway.js';
import { type ConfigKey, ignored, isFalse, quiet, refused, used } from './key.js';
import { keySets } from './key-sets.js';
import { s3Keys } from './s3.js';
import { rolloutKeys } from './rollout-keys.js';
import { TENANT_QUERY, tenantSource } from './tenants.js';

const MEBI = 1024 * 1024;

const MISSING_WORDS = oneOf('has', 'nulls');

/** `'null'` in quotes is the former word; without quotes it is YAML's null, which sets nothing. */
const missingWord: typeof MISSING_WORDS = {
  ...MISSING_WORDS,
  read: (node, key) => (node.kind === 'scalar' && node.value === 'null' ? 'nulls' : MISSING_WORDS.read(node, key)),
};

/**
 * Every key of a configuration file (docs/spec/server.md#configuration). Any other key is an error at start. A key that
 * ends in `.*` stands for all keys below it. The documentation and the JSON Schema are generated from this table.
 */
export const KEYS = {
  'server.httpListenAddr': used(
    address,
    { kind: 'tcp', host: undefined, port: 3592 },
    'address for REST, Connect, gRPC-Web and gRPC',
  ),
  'server.grpcListenAddr': used(
    address,
    { kind: 'tcp', host: undefined, port: 3593 },
    'address for gRPC only; if it equals `server.httpListenAddr`, one listener serves both',
  ),
  'server.udsFileMode': used(fileMode, 0o766, 'file mode of Unix sockets'),
  'server.tls.cert': used<string | undefined>(
    path,
    undefined,
    'certificate chain (PEM) of both listeners; together with `server.tls.key` it turns on TLS',
  ),
  'server.tls.key': used<string | undefined>(path, undefined, 'private key (PEM) of the certificate'),
  'server.tls.caCert': used<string | undefined>(
    path,
    undefined,
    'CA certificates (PEM) that verify client certificates; clients may also present none',
  ),
  'server.tls.watch': used(bool, true, 'reload the three files when they change'),
  'server.cors.disabled': used(bool, false, 'send no CORS headers'),
  'server.cors.allowedOrigins': used(texts, [], 'allowed origins, each with at most one `*`; all if empty'),
  'server.cors.allowedHeaders': used(
    texts,
    ['accept', 'content-type', 'user-agent', 'x-requested-with'],
    'headers that browsers may send; Connect clients also need `connect-protocol-version` and ' +
      '`connect-timeout-ms`, gRPC-Web clients `x-grpc-web`, `x-user-agent` and `grpc-timeout`',
  ),
  'server.cors.maxAge': used(duration(), 0, 'how long browsers may cache the response to a preflight request'),
  'server.requestLimits.maxActionsPerResource': used(
    integer(1, 500),
    50,
    'maximum number of actions per resource in a check',
  ),
  'server.requestLimits.maxResourcesPerRequest': used(integer(1, 500), 50, 'maximum number of resources in a check'),
  'server.requestLimits.maxUnfinishedBytes': used(
    integer(0, 1024 * 1024 * MEBI),
    256 * MEBI,
    'maximum memory for incomplete request bodies, in bytes per process; bodies that do not fit fail with 429 or ' +
      '`RESOURCE_EXHAUSTED`. 0 means unlimited',
  ),
  'server.metricsEnabled': used(bool, true, 'serve metrics at `/_authz/metrics`'),
  'server.logRequestPayloads': used(bool, false, 'log requests and responses, without tokens'),
  'server.apiExplorerEnabled': used(bool, true, 'serve the API explorer and the playground at `/`'),
  'server.adminAPI.enabled': used(bool, false, 'serve the admin API; requires both credentials'),
  'server.adminAPI.adminCredentials.username': used<string | undefined>(
    username,
    undefined,
    'user name for the admin API',
  ),
  'server.adminAPI.adminCredentials.passwordHash': used<string | undefined>(
    passwordHash,
    undefined,
    'bcrypt hash of the password, in base64',
  ),
  'server.explain.enabled': used(
    bool,
    false,
    'serve `ExplainDecision`, which shows conditions of policies; requires the admin API, and a bundle that was ' +
      'compiled with `--explain`',
  ),
  'server.authzen.subject': used(
    oneOf('caller', 'token'),
    'caller',
    'who says what the subject of an AuthZEN request is: the caller, or a verified token, whose id it must have',
  ),
  'server.authzen.token.audiences': used(
    texts,
    [],
    'a token of a subject is for one of these (`aud`); any audience if empty',
  ),
  'server.authzen.token.id': used(claimPath, ['sub'], "claim with the subject's id"),
  'server.authzen.token.roles': used(claimPath, ['roles'], "claim with the subject's roles: a list, or one role"),
  'server.authzen.token.defaultRoles': used(
    texts,
    [],
    'roles of a subject whose token has none; without any, its requests are refused',
  ),
  'server.authzen.token.attributes': used(claimPaths, {}, "claims that become attributes, by the attribute's name"),
  'server.authzen.token.scope': used<readonly string[] | undefined>(
    claimPath,
    undefined,
    "claim with the subject's scope; the default scope if not set",
  ),
  'server.gateway.enabled': used(
    bool,
    false,
    'answer proxies that ask whether to pass a request on ([gateways](gateways.md)); requires `peers`, `routes` and, ' +
      'for tokens, `auxData.jwt.keySets`',
  ),
  'server.gateway.peers': used(networks, [], 'networks of the proxies; other peers are answered with 403'),
  'server.gateway.methodHeader': used(headerName, 'x-forwarded-method', 'header with the original method'),
  'server.gateway.pathHeader': used(
    headerName,
    'x-forwarded-uri',
    'header with the original path and query, as the client sent them',
  ),
  'server.gateway.principal': used(
    oneOf('token', 'headers'),
    'token',
    'where the principal comes from: a verified token in `Authorization: Bearer`, or headers that the proxy sets',
  ),
  'server.gateway.token.keySet': used(text, '', 'id of the keyset that verifies tokens; the only keyset if empty'),
  'server.gateway.token.audiences': used(texts, [], 'a token is for one of these (`aud`); any audience if empty'),
  'server.gateway.token.id': used(claimPath, ['sub'], "claim with the principal's id"),
  'server.gateway.token.roles': used(claimPath, ['roles'], "claim with the principal's roles: a list, or one role"),
  'server.gateway.token.defaultRoles': used(
    texts,
    [],
    'roles of a principal whose token has none; without any, its requests are answered with 401',
  ),
  'server.gateway.token.attributes': used(claimPaths, {}, "claims that become attributes, by the attribute's name"),
  'server.gateway.token.scope': used<readonly string[] | undefined>(
    claimPath,
    undefined,
    "claim with the principal's scope; the default scope if not set",
  ),
  'server.gateway.headers.id': used(headerName, 'x-user-id', "header with the principal's id"),
  'server.gateway.headers.roles': used(
    headerName,
    'x-user-roles',
    "header with the principal's roles, separated by commas",
  ),
  'server.gateway.identity.id': used(headerName, 'x-authz-principal', "response header with the principal's id"),
  'server.gateway.identity.roles': used(
    headerName,
    'x-authz-roles',
    "response header with the principal's roles, separated by commas",
  ),
  'server.gateway.identity.attributes': used(
    headerNames,
    {},
    "response headers with the principal's attributes, by the attribute's name",
  ),
  'server.gateway.routes': used(
    gatewayRoutes,
    [],
    'the requests that can be allowed: `{methods, path, kind, id, action, attr}`; all others are answered with 403',
  ),
  'server.aliases': used(
    aliases,
    [],
    "other names of the same RPCs, for the SDKs of another PDP ([aliases](aliases.md)); `cerbos` has the reference PDP's",
  ),
  'server.workers': used<number | undefined>(
    integer(1, 256),
    undefined,
    'number of worker processes; one per core if not set',
  ),
  'server.watchBundle': used(bool, true, 'reload the bundle when its file changes; SIGHUP reloads it in any case'),
  'server.shutdownGrace': used(
    duration(),
    200,
    'how long the server still accepts calls after it was told to stop and reports that it is not serving',
  ),
  'server.playgroundEnabled': ignored(bool, 'authz has no playground'),
  'server.embeddedMode': ignored(bool, 'authz has no such mode'),
  'server.advanced.http.readTimeout': used(
    duration(),
    30_000,
    'maximum time to receive a whole request, over HTTP and gRPC; for streams, each message',
  ),
  'server.advanced.http.readHeaderTimeout': used(
    duration(),
    15_000,
    'maximum time to receive the headers and, on the HTTP port, what precedes them: the TLS handshake and the ' +
      'HTTP/2 preface',
  ),
  'server.advanced.http.writeTimeout': used(
    duration(),
    30_000,
    'maximum time for a client to receive a response; for streams, such as a health watch, the messages that are ' +
      'ready to be sent',
  ),
  'server.advanced.http.idleTimeout': used(
    duration(),
    120_000,
    'how long idle connections are kept open, on both ports',
  ),
  'server.advanced.grpc.maxRecvMsgSizeBytes': used(
    integer(1, 1024 * MEBI),
    4 * MEBI,
    'maximum size of a message, in bytes of its protobuf encoding; also limits REST bodies',
  ),
  'server.advanced.grpc.maxConcurrentStreams': used(
    integer(0, 2 ** 31 - 1),
    1024,
    'maximum number of concurrent calls per connection; 0 means unlimited',
  ),
  'server.advanced.grpc.maxConnectionAge': used(
    duration(),
    600_000,
    'maximum age of an HTTP/2 connection; then, calls in progress have `readTimeout` plus `writeTimeout` to end. ' +
      '0 means unlimited',
  ),
  'server.advanced.grpc.connectionTimeout': used(
    duration(1),
    60_000,
    'maximum time for the TLS handshake and the HTTP/2 preface of a connection to the gRPC port',
  ),

  ...bundleKeys,
  ...rolloutKeys,

  'engine.defaultPolicyVersion': used(name, 'default', 'policy version of requests without one'),
  'engine.defaultScope': used(text, '', 'scope of requests without one'),
  'engine.lenientScopeSearch': used(
    bool,
    false,
    'if the requested scope has no policy, use the nearest parent scope that has one',
  ),
  'engine.globals': used(globals, {}, 'values of `globals` in conditions'),
  'engine.strictEvaluation': used(bool, false, 'deny the action if a condition cannot be evaluated'),
  'engine.plan.referenceShapes': used(
    bool,
    false,
    'write plans in the shapes of the reference PDP, for adapters that compare them; in strict evaluation, only ' +
      'shapes with the same meaning',
  ),
  'engine.plan.missing': used(
    missingWord,
    'has',
    'how plans say that an attribute is missing: with the operators `has` and `unless`, or with `nulls`, for adapters ' +
      'that lack these operators and programs that leave out attributes whose column is NULL',
  ),
  'engine.limits.evaluationCost': used(
    integer(1000, Number.MAX_SAFE_INTEGER),
    50_000_000,
    'maximum cost of the conditions of one call, in steps of about ten nanoseconds: elements that macros and ' +
      'list functions visit, bytes that are read and created, and outputs, once for each role of the principal; calls ' +
      'that exceed it fail with 429 / RESOURCE_EXHAUSTED',
  ),
  'engine.limits.evaluationMemory': used(
    integer(MEBI, 1024 * MEBI),
    100 * MEBI,
    'maximum memory, in bytes, of the values that conditions create, for each resource of a check; calls that ' +
      'exceed it fail with 429 / RESOURCE_EXHAUSTED',
  ),
  'engine.celErrorLogLevel': used(
    oneOf('none', 'debug', 'info', 'warn', 'error'),
    'warn',
    'log level for conditions that cannot be evaluated',
  ),
  'engine.policyLoaderTimeout': ignored(duration(), 'policies are compiled into the bundle'),
  'engine.numWorkers': ignored(anything, '`server.workers` sets the number of processes'),

  'auxData.jwt.keySets': used(keySets, [], 'keys that verify tokens'),
  'auxData.jwt.disableVerification': used(
    bool,
    false,
    'do not verify signatures; only for callers that have verified the tokens',
  ),
  'auxData.jwt.acceptableTimeSkew': used(duration(), 0, 'allowed clock skew for `exp`, `nbf` and `iat`'),
  'auxData.jwt.cacheSize': ignored(anything, 'verified tokens are not cached'),

  'schema.enforcement': used(
    oneOf('none', 'warn', 'reject'),
    'none',
    'whether violations of JSON schemas are reported (`warn`) or also deny (`reject`)',
  ),
  'schema.cacheSize': ignored(anything, 'schemas are compiled into the bundle'),

  'tenants.source': used<string | undefined>(
    tenantSource,
    undefined,
    'where the documents of [roles of tenants](tenant-roles.md) are: a folder, a URL with `{tenant}` (`https://` or ' +
      '`s3://`), or a connection string of PostgreSQL (`postgresql://`)',
  ),
  'tenants.maxAge': used(duration(), 5000, 'how long a document is used before its source is asked for a change'),
  'tenants.maxStale': used(
    duration(),
    60_000,
    'how much longer it is used while the source does not answer; then, calls that need it fail with 503 / UNAVAILABLE',
  ),
  'tenants.timeout': used(duration(1), 2000, 'maximum time to load a document'),
  'tenants.cache.maxTenants': used(
    integer(1, 10_000_000),
    20_000,
    'maximum number of tenants that are kept in memory, per process; the least recently used ones are loaded again',
  ),
  'tenants.cache.maxSizeMB': used(integer(1, 65_536), 64, 'maximum size of what is kept, in megabytes per process'),
  'tenants.http.tokenFile': used<string | undefined>(
    path,
    undefined,
    'file with a bearer token for a source over HTTP; read for each request',
  ),
  'tenants.http.plainHttp': used(
    bool,
    false,
    'whether credentials may be sent to another machine without TLS, which others on the way can read',
  ),
  ...s3Keys('tenants'),
  'tenants.postgresql.query': used(
    text,
    TENANT_QUERY,
    'query for one tenant: `$1` is its name, `$2` the version that is known. It returns `version` and `document`; null ' +
      'if the version is the known one',
  ),
  'tenants.postgresql.maxConnections': used(integer(1, 100), 4, 'maximum number of connections, per process'),

  ...auditKeys,

  'storage.driver': ignored(text, 'policies are compiled into the bundle', (value) => value === 'disk'),
  'storage.disk.directory': used<string | undefined>(
    name,
    undefined,
    'folder of policies that `authzc serve` compiles; `policies` if not set',
  ),
  'storage.disk.watchForChanges': used(
    bool,
    false,
    'compile again when a policy changes, as `authzc serve --watch`; for a bundle, see `server.watchBundle`',
  ),
  'storage.disk.scratchDir': ignored(anything, 'no scratch space is needed'),
  'storage.*': ignored(anything, 'policies are compiled into the bundle'),

  'compile.*': ignored(anything, 'policies are compiled into the bundle'),
  'telemetry.disabled': refused('authz sends no telemetry', bool, (value) => value === true),
  'telemetry.*': quiet(),
  'vocabulary.*': quiet(),
  'hub.*': ignored(anything, 'authz has no such service', isFalse),
  'tracing.*': ignored(anything, 'configure traces with the environment variables of OpenTelemetry'),
} as const satisfies { readonly [path: string]: ConfigKey };
