import { maskUrl } from './mask.js';
import { refuse, text, type ValueType } from './value-types.js';

/** The kinds of sources, by how they begin; anything else is a folder. */
export function kindOfSource(source: string): 'folder' | 'http' | 's3' | 'postgresql' {
  if (/^https?:\/\//.test(source)) return 'http';
  if (source.startsWith('s3://')) return 's3';
  return /^postgres(?:ql)?:\/\//.test(source) ? 'postgresql' : 'folder';
}

/** A value of `tenants.source`. */
export const tenantSource: ValueType<string> = {
  read(node, key) {
    const written = text.read(node, key);
    const kind = kindOfSource(written);
    if (kind === 'folder' && /^[a-z0-9+.-]+:\/\//i.test(written))
      return refuse(
        node,
        key,
        'a folder, or a URL that begins with `https://`, `http://`, `s3://` or `postgresql://`',
        false,
      );
    if (kind === 'http' && !(URL.canParse(written) && /^https?:\/\/[^/]+\/.*\{tenant\}/.test(written)))
      return refuse(
        node,
        key,
        'a URL with `{tenant}` in its path, such as `https://host/tenants/{tenant}.json`',
        false,
      );
    if (kind === 's3' && !/^s3:\/\/[^/]+\/.*\{tenant\}/.test(written))
      return refuse(node, key, 'a URL with `{tenant}` in its key, such as `s3://bucket/tenants/{tenant}.json`', false);
    return written;
  },
  write: maskUrl,
  words: 'folder or URL',
  schema: { type: 'string', minLength: 1 },
};

/** The default of `tenants.postgresql.query`. */
export const TENANT_QUERY =
  'SELECT version::text, CASE WHEN version::text = $2 THEN NULL ELSE document::text END AS document ' +
  'FROM authz_tenants WHERE tenant = $1';
