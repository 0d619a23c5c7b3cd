import { aliases } from './aliases.js';
import { gatewayRoutes, headerName, headerNames, networks } from './gateway.js';
import { ignored, key, optionalKey, section } from './section.js';
import {
  address,
  bool,
  claimPath,
  claimPaths,
  duration,
  fileMode,
  integer,
  pickOne,
  passwordHash,
  path,
  text,
  texts,
  username,
} from './value-types.js';

const MEBI = 1024 * 1024;

/** How claims of a token become a principal. */
function tokenKeys(what: string, withoutRoles: string) {
  return {
    audiences: key(
      texts,
      [],
      `accepted audiences (\`aud\`) of ${what === 'subject' ? "a subject's token" : 'a token'}; any audience if empty`,
    ),
    id: key(claimPath, 'sub', `claim with the ${what}'s id`),
    roles: key(claimPath, 'roles', `claim with the ${what}'s roles: a list, or one role`),
    defaultRoles: key(texts, [], `roles of a ${what} whose token has none; without any, ${withoutRoles}`),
    attributes: key(claimPaths, {}, "claims that become attributes, by the attribute's name"),
    scope: optionalKey(claimPath, `claim with the ${what}'s scope; the default scope if not set`),
  };
}

const tls = section({
  cert: optionalKey(path, 'certificate chain (PEM) of both listeners; together with `server.tls.key` it turns on TLS'),
  key: optionalKey(path, 'private key (PEM) of the certificate'),
  caCert: optionalKey(
    path,
    'CA certificates (PEM) that verify client certificates; clients may also connect without one',
  ),
  watch: key(bool, true, 'reload the three files when they change'),
});

const cors = section({
  disabled: key(bool, false, 'send no CORS headers'),
  allowedOrigins: key(texts, [], 'allowed origins, each with at most one `*`; all if empty'),
  allowedHeaders: key(
    texts,
    ['accept', 'content-type', 'user-agent', 'x-requested-with'],
    'headers that browsers may send; Connect clients also need `connect-protocol-version` and ' +
      '`connect-timeout-ms`, gRPC-Web clients `x-grpc-web`, `x-user-agent` and `grpc-timeout`',
  ),
  maxAge: key(duration(), '0s', 'how long browsers may cache the response to a preflight request'),
});

const requestLimits = section({
  maxActionsPerResource: key(integer(1, 500), 50, 'maximum number of actions per resource in a check'),
  maxResourcesPerRequest: key(integer(1, 500), 50, 'maximum number of resources in a check'),
  maxUnfinishedBytes: key(
    integer(0, 1024 * 1024 * MEBI),
    256 * MEBI,
    'maximum memory for incomplete request bodies, in bytes per process; bodies that do not fit fail with 429 or ' +
      '`RESOURCE_EXHAUSTED`. 0 means unlimited',
  ),
});

const adminAPI = section({
  enabled: key(bool, false, 'serve the admin API; requires both credentials'),
  adminCredentials: section({
    username: optionalKey(username, 'user name for the admin API'),
    passwordHash: optionalKey(passwordHash, 'bcrypt hash of the password, in base64'),
  }),
});

const gateway = section({
  enabled: key(
    bool,
    false,
    'answer authorization requests from proxies ([gateways](gateways.md)); requires `peers`, `routes` and, ' +
      'for tokens, `auxData.jwt.keySets`',
  ),
  peers: key(networks, [], 'networks of the proxies; other peers are answered with 403'),
  methodHeader: key(headerName, 'x-forwarded-method', 'header with the original method'),
  pathHeader: key(headerName, 'x-forwarded-uri', 'header with the original path and query, as the client sent them'),
  principal: key(
    pickOne('token', 'headers'),
    'token',
    'source of the principal: a verified token in `Authorization: Bearer`, or headers that the proxy sets',
  ),
  token: section({
    keySet: key(text, '', 'id of the keyset that verifies tokens; the only keyset if empty'),
    ...tokenKeys('principal', 'its requests are answered with 401'),
  }),
  headers: section({
    id: key(headerName, 'x-user-id', "header with the principal's id"),
    roles: key(headerName, 'x-user-roles', "header with the principal's roles, separated by commas"),
  }),
  identity: section({
    id: key(headerName, 'x-authz-principal', "response header with the principal's id"),
    roles: key(headerName, 'x-authz-roles', "response header with the principal's roles, separated by commas"),
    attributes: key(headerNames, {}, "response headers with the principal's attributes, by the attribute's name"),
  }),
  routes: key(
    gatewayRoutes,
    [],
    'the requests that can be allowed: `{methods, path, kind, id, action, attr}`; all others are answered with 403',
  ),
});

const advanced = section({
  http: section({
    readTimeout: key(
      duration(),
      '30s',
      'maximum time to receive a whole request, over HTTP and gRPC; for streams, each message',
    ),
    readHeaderTimeout: key(
      duration(),
      '15s',
      'maximum time to receive the headers and, on the HTTP port, what precedes them: the TLS handshake and the ' +
        'HTTP/2 preface',
    ),
    writeTimeout: key(
      duration(),
      '30s',
      'maximum time for a client to receive a response; for streams, such as a health watch, the messages that are ' +
        'ready to be sent',
    ),
    idleTimeout: key(duration(), '2m', 'how long idle connections are kept open, on both ports'),
  }),
  grpc: section({
    maxRecvMsgSizeBytes: key(
      integer(1, 1024 * MEBI),
      4 * MEBI,
      'maximum size of a message, in bytes of its protobuf encoding; also limits REST bodies',
    ),
    maxConcurrentStreams: key(
      integer(0, 2 ** 31 - 1),
      1024,
      'maximum number of concurrent calls per connection; 0 means unlimited',
    ),
    maxConnectionAge: key(
      duration(),
      '10m',
      'maximum age of an HTTP/2 connection; then, calls in progress have `readTimeout` plus `writeTimeout` to end. ' +
        '0 means unlimited',
    ),
    connectionTimeout: key(
      duration(1),
      '1m',
      'maximum time for the TLS handshake and the HTTP/2 preface of a connection to the gRPC port',
    ),
  }),
});

/** `server`: listeners, limits and what is served. */
export const serverKeys = section(
  {
    httpListenAddr: key(address, ':3592', 'address for REST, Connect, gRPC-Web and gRPC'),
    grpcListenAddr: key(
      address,
      ':3593',
      'address for gRPC only; if it equals `server.httpListenAddr`, one listener serves both',
    ),
    udsFileMode: key(fileMode, '0o766', 'file mode of Unix sockets'),
    tls,
    cors,
    requestLimits,
    metricsEnabled: key(bool, true, 'serve metrics at `/_authz/metrics`'),
    logRequestPayloads: key(bool, false, 'log requests and responses, without tokens'),
    apiExplorerEnabled: key(bool, true, 'serve the API explorer and the playground at `/`'),
    adminAPI,
    explain: section({
      enabled: key(
        bool,
        false,
        'serve `ExplainDecision`, which shows conditions of policies; requires the admin API, and a bundle that was ' +
          'compiled with `--explain`',
      ),
    }),
    authzen: section({
      subject: key(
        pickOne('caller', 'token'),
        'caller',
        'source of the subject of an AuthZEN request: the caller, or a verified token whose id must match the subject',
      ),
      token: section(tokenKeys('subject', 'its requests are refused')),
    }),
    gateway,
    aliases: key(
      aliases,
      [],
      'additional names for the same RPCs ([aliases](aliases.md)); `cerbos` adds those of Cerbos, for its SDKs',
    ),
    workers: optionalKey(integer(1, 256), 'number of worker processes; one per core if not set'),
    watchBundle: key(bool, true, 'reload the bundle when its file changes; SIGHUP reloads it in any case'),
    shutdownGrace: key(
      duration(),
      '200ms',
      'how long a stopping server still accepts calls while it reports that it is not serving',
    ),
    advanced,
  },
  {
    playgroundEnabled: ignored('`server.apiExplorerEnabled` serves the playground', bool),
    embeddedMode: ignored('authz has no such mode', bool),
  },
);
