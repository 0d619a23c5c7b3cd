import * as v from 'valibot';
import { bundleSource } from './bundle-source.js';
import { maskUrl } from './mask.js';
import { about, listOf, mustBe } from './schema-type.js';
import { s3Keys } from './s3.js';
import { key, optionalKey, section } from './section.js';
import { bool, duration, fraction, integer, name, oneOf, path, secret, text, texts } from './value-types.js';

const HOUR = 3_600_000;
const MEBI = 1024 * 1024;

const proxyUrl = v.pipe(
  text,
  v.check(
    (written) => written === '' || (URL.canParse(written) && ['http:', 'https:'].includes(new URL(written).protocol)),
    mustBe('a URL such as `http://proxy.example.com:3128`, or empty', false),
  ),
  about({ words: 'URL', json: { type: 'string' }, show: (written) => maskUrl(String(written)) }),
);

const poll = section({
  interval: key(duration(1000, 24 * HOUR), '1m', 'how often the source is asked for a new version'),
  jitter: key(
    integer(0, 100),
    20,
    'by how much each wait differs from the interval at most, in percent: many servers do not ask together',
  ),
  longPoll: key(
    duration(0, HOUR / 6),
    '30s',
    'how long an HTTP server that offers it holds a request until there is a new version; 0 means not at all',
  ),
  maxBackoff: key(
    duration(1000, 24 * HOUR),
    '5m',
    'the longest wait after failures; the first is a second, and each further one twice as long',
  ),
  connectTimeout: key(duration(1, HOUR), '10s', 'maximum time to connect, including the TLS handshake'),
  idleTimeout: key(duration(1, HOUR), '10s', 'maximum time without a byte of the response'),
  timeout: key(duration(1, HOUR), '1m', 'maximum time of a request, including redirects and the body'),
  maxSize: key(integer(1, 1024 * MEBI), 128 * MEBI, 'maximum size of a bundle, in bytes'),
});

const credentials = section({
  username: optionalKey(name, 'user name for HTTP or a registry'),
  password: optionalKey(secret, 'its password, such as `${PASSWORD}`'),
  passwordFile: optionalKey(path, 'file with the password, which is read for each request'),
  token: optionalKey(secret, 'bearer token for HTTP or a registry, such as `${TOKEN}`'),
  tokenFile: optionalKey(path, 'file with the token, which is read for each request'),
});

const trust = section({
  keys: key(
    listOf(name),
    [],
    'files with public keys (PEM, JWK or JWKS: Ed25519, P-256, P-384). If there are any, only [archives](bundles.md) ' +
      'that they have signed are served',
  ),
  required: key(integer(1, 16), 1, 'how many of the keys must have signed a bundle'),
  maxAge: optionalKey(duration(1000), 'a signature that is older does not count; unlimited if not set'),
  requireSequence: key(
    bool,
    false,
    'refuse bundles without a sequence, which could be replayed; requires `bundle.cache`',
  ),
  clockSkew: key(
    duration(),
    '1m',
    'how far the clock of the machine that signs may differ, for `notBefore`, `notAfter` and `maxAge`',
  ),
});

const rollout = section({
  candidate: optionalKey(
    path,
    'bundle file to try beside the current one ([rollout](rollout.md)); reloaded like the bundle',
  ),
  stage: key(
    oneOf('shadow', 'canary'),
    'shadow',
    'how each new candidate begins: it decides beside, and differences are reported (`shadow`), or it decides for ' +
      '`percent` of the principals (`canary`)',
  ),
  percent: key(
    integer(0, 100),
    0,
    'share of the principals for whom the candidate decides in stage `canary`, from 0 to 100',
  ),
  id: key(
    text,
    '',
    'what principals are hashed with: the same id always chooses the same principals; the hash of the candidate if empty',
  ),
  rate: key(fraction, 0.1, 'share of calls that the candidate decides in stage `shadow`'),
  log: optionalKey(
    path,
    'file for a sample of the differences, as JSON lines for `authzc replay`; the log of the server if not set',
  ),
});

/** `bundle`: where the bundle comes from (docs/bundle-sources.md), and how new ones are tried (docs/rollout.md). */
export const bundleKeys = section({
  source: optionalKey(
    bundleSource,
    'where the server gets its bundle from: a file, `https://…`, `s3://bucket/key` or `oci://host/repository:tag` ' +
      '([sources](bundle-sources.md)); the option `--bundle` or its default if not set',
  ),
  cache: optionalKey(
    path,
    'folder in which the server keeps the last bundle of a source, for a start while the source is away, and the highest ' +
      'sequence that it has accepted; it must outlive restarts',
  ),
  startTimeout: key(
    duration(0, HOUR),
    '30s',
    'how long a server that has no bundle tries before it gives up; 0 means once',
  ),
  poll,
  credentials,
  tls: section({
    ca: optionalKey(path, 'CA certificates (PEM) that verify the source, instead of those of Node.js'),
    cert: optionalKey(path, 'client certificate (PEM) for the source'),
    key: optionalKey(path, 'private key (PEM) of the client certificate'),
  }),
  proxy: section({
    url: optionalKey(
      proxyUrl,
      'proxy for the source; `HTTPS_PROXY` and `HTTP_PROXY` of the environment if not set, none if empty',
    ),
    exceptions: optionalKey(
      texts,
      'hosts that are reached without the proxy; `NO_PROXY` of the environment if not set',
    ),
  }),
  s3: section(s3Keys),
  oci: section({
    dockerConfig: optionalKey(
      path,
      '`config.json` of docker with credentials of registries; credential helpers are not run',
    ),
    plainHttp: key(bool, false, 'whether the registry is asked without TLS'),
  }),
  trust,
  minWait: key(duration(), '2s', 'how long a call waits for the bundle that it demands with `authz-min-bundle`'),
  rollout,
});
