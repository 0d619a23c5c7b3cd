import type { BundleSourceConfig } from './bundle-config.js';
import { type ConfigKey, used } from './key.js';
import { maskUrl } from './mask.js';
import { parseOciReference, writeOciReference } from './oci-reference.js';
import { s3Keys } from './s3.js';
import { secret } from './secret-type.js';
import { bool, duration, integer, listOf, name, path, refuse, text, texts, type ValueType } from './value-types.js';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const MEBI = 1024 * 1024;

const FORMS = 'a file, or `https://…`, `s3://bucket/key` or `oci://host/repository:tag`';

const source: ValueType<BundleSourceConfig> = {
  read: (node, key) => {
    const written = name.read(node, key);
    const parsed = parseSource(written);
    // What is written may have credentials.
    return typeof parsed === 'string' ? refuse(node, key, `${FORMS}: ${parsed}`, false) : parsed;
  },
  write: (config) => (config.kind === 'http' ? maskUrl(config.url) : writeSource(config)),
  words: 'path or URL',
  schema: { type: 'string', minLength: 1 },
};

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]+):\/\//;

/** Returns the reason if the string is not a source. */
function parseSource(written: string): BundleSourceConfig | string {
  const scheme = SCHEME.exec(written)?.[1]?.toLowerCase();
  switch (scheme) {
    case undefined:
      return { kind: 'file', file: written };
    case 'http':
    case 'https':
      return httpSource(written);
    case 's3':
      return s3Source(written);
    case 'oci': {
      const reference = parseOciReference(written);
      return reference === undefined ? 'it is not a reference of a registry' : { kind: 'oci', reference };
    }
    default:
      return `the scheme \`${scheme.slice(0, 20)}\` is not known`;
  }
}

function httpSource(written: string): BundleSourceConfig | string {
  if (!URL.canParse(written)) return 'it is not a URL';
  const url = new URL(written);
  if (url.username !== '' || url.password !== '') return 'credentials belong in `bundle.credentials`';
  url.hash = '';
  return { kind: 'http', url: url.href };
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

function s3Source(written: string): BundleSourceConfig | string {
  const rest = written.slice('s3://'.length);
  const slash = rest.indexOf('/');
  const bucket = rest.slice(0, slash);
  const key = rest.slice(slash + 1);
  if (slash < 0 || !BUCKET.test(bucket)) return 'it has no valid bucket';
  return key === '' || key.length > 1024 ? 'it has no valid key' : { kind: 's3', bucket, key };
}

/** As a file would say it. */
export function writeSource(config: BundleSourceConfig): string {
  switch (config.kind) {
    case 'file':
      return config.file;
    case 'http':
      return config.url;
    case 's3':
      return `s3://${config.bucket}/${config.key}`;
    case 'oci':
      return writeOciReference(config.reference);
  }
}

const proxyUrl: ValueType<string> = {
  read: (node, key) => {
    const value = text.read(node, key);
    const isUrl = value === '' || (URL.canParse(value) && ['http:', 'https:'].includes(new URL(value).protocol));
    return isUrl ? value : refuse(node, key, 'a URL such as `http://proxy.example.com:3128`, or empty', false);
  },
  write: maskUrl,
  words: 'URL',
  schema: { type: 'string' },
};

/** The keys of the source of the bundle (docs/bundle-sources.md). */
export const bundleKeys = {
  'bundle.source': used<BundleSourceConfig | undefined>(
    source,
    undefined,
    'where the server gets its bundle from: a file, `https://…`, `s3://bucket/key` or `oci://host/repository:tag` ' +
      '([sources](bundle-sources.md)); the option `--bundle` or its default if not set',
  ),
  'bundle.cache': used<string | undefined>(
    path,
    undefined,
    'folder in which the server keeps the last bundle of a source, for a start while the source is away, and the highest ' +
      'sequence that it has accepted; it must outlive restarts',
  ),
  'bundle.startTimeout': used(
    duration(0, HOUR),
    30_000,
    'how long a server that has no bundle tries before it gives up; 0 means once',
  ),
  'bundle.poll.interval': used(duration(1000, 24 * HOUR), MINUTE, 'how often the source is asked for a new version'),
  'bundle.poll.jitter': used(
    integer(0, 100),
    20,
    'by how much each wait differs from the interval at most, in percent: many servers do not ask together',
  ),
  'bundle.poll.longPoll': used(
    duration(0, 10 * MINUTE),
    30_000,
    'how long an HTTP server that offers it holds a request until there is a new version; 0 means not at all',
  ),
  'bundle.poll.maxBackoff': used(
    duration(1000, 24 * HOUR),
    5 * MINUTE,
    'the longest wait after failures; the first is a second, and each further one twice as long',
  ),
  'bundle.poll.connectTimeout': used(duration(1, HOUR), 10_000, 'maximum time to connect, including the TLS handshake'),
  'bundle.poll.idleTimeout': used(duration(1, HOUR), 10_000, 'maximum time without a byte of the response'),
  'bundle.poll.timeout': used(duration(1, HOUR), MINUTE, 'maximum time of a request, including redirects and the body'),
  'bundle.poll.maxSize': used(integer(1, 1024 * MEBI), 128 * MEBI, 'maximum size of a bundle, in bytes'),
  'bundle.credentials.username': used<string | undefined>(name, undefined, 'user name for HTTP or a registry'),
  'bundle.credentials.password': used<string | undefined>(secret, undefined, 'its password, such as `${PASSWORD}`'),
  'bundle.credentials.passwordFile': used<string | undefined>(
    path,
    undefined,
    'file with the password, which is read for each request',
  ),
  'bundle.credentials.token': used<string | undefined>(
    secret,
    undefined,
    'bearer token for HTTP or a registry, such as `${TOKEN}`',
  ),
  'bundle.credentials.tokenFile': used<string | undefined>(
    path,
    undefined,
    'file with the token, which is read for each request',
  ),
  'bundle.tls.ca': used<string | undefined>(
    path,
    undefined,
    'CA certificates (PEM) that verify the source, instead of those of Node.js',
  ),
  'bundle.tls.cert': used<string | undefined>(path, undefined, 'client certificate (PEM) for the source'),
  'bundle.tls.key': used<string | undefined>(path, undefined, 'private key (PEM) of the client certificate'),
  'bundle.proxy.url': used<string | undefined>(
    proxyUrl,
    undefined,
    'proxy for the source; `HTTPS_PROXY` and `HTTP_PROXY` of the environment if not set, none if empty',
  ),
  'bundle.proxy.exceptions': used<readonly string[] | undefined>(
    texts,
    undefined,
    'hosts that are reached without the proxy; `NO_PROXY` of the environment if not set',
  ),
  ...s3Keys('bundle'),
  'bundle.oci.dockerConfig': used<string | undefined>(
    path,
    undefined,
    '`config.json` of docker with credentials of registries; credential helpers are not run',
  ),
  'bundle.oci.plainHttp': used(bool, false, 'whether the registry is asked without TLS'),
  'bundle.trust.keys': used(
    listOf(name),
    [],
    'files with public keys (PEM, JWK or JWKS: Ed25519, P-256, P-384). If there are any, only [archives](bundles.md) ' +
      'that they have signed are served',
  ),
  'bundle.trust.required': used(integer(1, 16), 1, 'how many of the keys must have signed a bundle'),
  'bundle.trust.maxAge': used<number | undefined>(
    duration(1000),
    undefined,
    'a signature that is older does not count; unlimited if not set',
  ),
  'bundle.trust.requireSequence': used(
    bool,
    false,
    'refuse bundles without a sequence, which could be replayed; requires `bundle.cache`',
  ),
  'bundle.trust.clockSkew': used(
    duration(),
    60_000,
    'how far the clock of the machine that signs may differ, for `notBefore`, `notAfter` and `maxAge`',
  ),
} as const satisfies { readonly [path: string]: ConfigKey };
