import * as v from 'valibot';
import { maskUrl } from './mask.js';
import { about, mustBe } from './schema-type.js';
import { s3Keys } from './s3.js';
import { key, optionalKey, section } from './section.js';
import { bool, duration, integer, path, text } from './value-types.js';

/** The kinds of sources, by how they begin; anything else is a folder. */
export function kindOfSource(source: string): 'folder' | 'http' | 's3' | 'postgresql' {
  if (/^https?:\/\//.test(source)) return 'http';
  if (source.startsWith('s3://')) return 's3';
  return /^postgres(?:ql)?:\/\//.test(source) ? 'postgresql' : 'folder';
}

/** A value of `tenants.source`. */
const tenantSource = v.pipe(
  text,
  v.check(
    (source) => kindOfSource(source) !== 'folder' || !/^[a-z0-9+.-]+:\/\//i.test(source),
    mustBe('a folder, or a URL that begins with `https://`, `http://`, `s3://` or `postgresql://`', false),
  ),
  v.check(
    (source) =>
      kindOfSource(source) !== 'http' || (URL.canParse(source) && /^https?:\/\/[^/]+\/.*\{tenant\}/.test(source)),
    mustBe('a URL with `{tenant}` in its path, such as `https://host/tenants/{tenant}.json`', false),
  ),
  v.check(
    (source) => kindOfSource(source) !== 's3' || /^s3:\/\/[^/]+\/.*\{tenant\}/.test(source),
    mustBe('a URL with `{tenant}` in its key, such as `s3://bucket/tenants/{tenant}.json`', false),
  ),
  about({
    words: 'folder or URL',
    json: { type: 'string', minLength: 1 },
    show: (written) => maskUrl(String(written)),
  }),
);

/** The default of `tenants.postgresql.query`. */
export const TENANT_QUERY =
  'SELECT version::text, CASE WHEN version::text = $2 THEN NULL ELSE document::text END AS document ' +
  'FROM authz_tenants WHERE tenant = $1';

/** `tenants`: where the roles of tenants come from, and how they are kept (docs/tenant-roles.md). */
export const tenantsKeys = section({
  source: optionalKey(
    tenantSource,
    'where the documents of [roles of tenants](tenant-roles.md) are: a folder, a URL with `{tenant}` (`https://` or ' +
      '`s3://`), or a connection string of PostgreSQL (`postgresql://`)',
  ),
  maxAge: key(duration(), '5s', 'how long to use a document before checking its source for changes'),
  maxStale: key(
    duration(),
    '1m',
    'how much longer to use it while the source is unavailable; after that, calls that need it fail with 503 / UNAVAILABLE',
  ),
  timeout: key(duration(1), '2s', 'maximum time to load a document'),
  cache: section({
    maxTenants: key(
      integer(1, 10_000_000),
      20_000,
      'maximum number of tenants to keep in memory, per process; others are loaded again when needed',
    ),
    maxSizeMB: key(integer(1, 65_536), 64, 'maximum size of the cached documents, in megabytes per process'),
  }),
  http: section({
    tokenFile: optionalKey(path, 'file with a bearer token for a source over HTTP; read for each request'),
    plainHttp: key(
      bool,
      false,
      'send credentials to another machine without TLS, which anyone on the network path can read',
    ),
  }),
  s3: section(s3Keys),
  postgresql: section({
    query: key(
      text,
      TENANT_QUERY,
      'query for one tenant: `$1` is its name, `$2` the version that is known. It returns `version` and `document`; null ' +
        'if the version is the known one',
    ),
    maxConnections: key(integer(1, 100), 4, 'maximum number of connections, per process'),
  }),
});
