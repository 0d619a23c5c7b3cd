import * as v from 'valibot';
import { bundleSource } from './bundle-source.js';
import { maskUrl } from './mask.js';
import { about, makeList, mustBe } from './schema-type.js';
import { s3Keys } from './s3.js';
import { key, optionalKey, section } from './section.js';
import { bool, duration, fraction, integer, name, pickOne, path, secret, text, texts } from './value-types.js';

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
  interval: key(duration(1000, 24 * HOUR), '1m', 'interval between requests for a new version'),
  jitter: key(
    integer(0, 100),
    20,
    'maximum deviation of each wait from the interval, in percent, so that many servers do not poll at the same time',
  ),
  longPoll: key(
    duration(0, HOUR / 6),
    '30s',
    'how long an HTTP server that supports long polling holds a request until there is a new version; 0 disables it',
  ),
  maxBackoff: key(
    duration(1000, 24 * HOUR),
    '5m',
    'maximum wait after failures; the first wait is one second, and each further one doubles',
  ),
  connectTimeout: key(duration(1, HOUR), '10s', 'maximum time to connect, including the TLS handshake'),
  idleTimeout: key(duration(1, HOUR), '10s', 'maximum time without a byte of the response'),
  timeout: key(duration(1, HOUR), '1m', 'maximum time of a request, including redirects and the body'),
  maxSize: key(integer(1, 1024 * MEBI), 128 * MEBI, 'maximum size of a bundle, in bytes'),
});

const credentials = section({
  username: optionalKey(name, 'user name for HTTP or a registry'),
  password: optionalKey(secret, 'its password, such as `${PASSWORD}`'),
  passwordFile: optionalKey(path, 'file that contains the password; read for each request'),
  token: optionalKey(secret, 'bearer token for HTTP or a registry, such as `${TOKEN}`'),
  tokenFile: optionalKey(path, 'file that contains the token; read for each request'),
});

const trust = section({
  keys: key(
    makeList(name),
    [],
    'files with public keys (PEM, JWK or JWKS: Ed25519, P-256, P-384). If set, the server only accepts [archives](bundles.md) ' +
      'signed with these keys',
  ),
  required: key(integer(1, 16), 1, 'number of keys that must have signed a bundle'),
  maxAge: optionalKey(duration(1000), 'maximum age of a signature; unlimited if not set'),
  requireSequence: key(
    bool,
    false,
    'refuse bundles without a sequence number, which an attacker could replay; requires `bundle.cache`',
  ),
  clockSkew: key(
    duration(),
    '1m',
    'allowed clock difference to the signing machine, for `notBefore`, `notAfter` and `maxAge`',
  ),
});

const rollout = section({
  candidate: optionalKey(
    path,
    'candidate bundle to try next to the current one ([rollout](rollout.md)); reloaded when the file changes, like the bundle',
  ),
  stage: key(
    pickOne('shadow', 'canary'),
    'shadow',
    'first stage of a new candidate: `shadow` evaluates it next to the current bundle and reports differences, `canary` ' +
      'lets it decide for `percent` of the principals',
  ),
  percent: key(integer(0, 100), 0, 'percentage of principals for whom the candidate decides in stage `canary`'),
  id: key(
    text,
    '',
    'salt of the hash that selects principals: the same id always selects the same principals; the hash of the candidate if empty',
  ),
  rate: key(fraction, 0.1, 'share of calls that the candidate also evaluates in stage `shadow`'),
  log: optionalKey(
    path,
    'file for a sample of the differences, as JSON lines for `authzc replay`; the server log if not set',
  ),
});

/** `bundle`: where the bundle comes from (docs/bundle-sources.md), and how new ones are tried (docs/rollout.md). */
export const bundleKeys = section({
  source: optionalKey(
    bundleSource,
    'source of the bundle: a file, `https://…`, `s3://bucket/key` or `oci://host/repository:tag` ' +
      '([sources](bundle-sources.md)); `--bundle` or its default if not set',
  ),
  cache: optionalKey(
    path,
    'folder for the last bundle of a source, used at startup while the source is unavailable, and for the highest ' +
      'accepted sequence number; must be on persistent storage',
  ),
  startTimeout: key(
    duration(0, HOUR),
    '30s',
    'how long a server without a bundle retries before it exits; 0 means one attempt',
  ),
  poll,
  credentials,
  tls: section({
    ca: optionalKey(path, 'CA certificates (PEM) that verify the source; by default, those of Node.js'),
    cert: optionalKey(path, 'client certificate (PEM) for the source'),
    key: optionalKey(path, 'private key (PEM) of the client certificate'),
  }),
  proxy: section({
    url: optionalKey(
      proxyUrl,
      'proxy for the source; `HTTPS_PROXY` and `HTTP_PROXY` of the environment if not set, none if empty',
    ),
    exceptions: optionalKey(texts, 'hosts to connect to without the proxy; `NO_PROXY` of the environment if not set'),
  }),
  s3: section(s3Keys),
  oci: section({
    dockerConfig: optionalKey(path, 'Docker `config.json` with registry credentials; credential helpers are not run'),
    plainHttp: key(bool, false, 'connect to the registry without TLS'),
  }),
  trust,
  minWait: key(duration(), '2s', 'how long a call waits for the bundle that it requires with `authz-min-bundle`'),
  rollout,
});
