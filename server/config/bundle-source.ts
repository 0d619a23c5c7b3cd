import * as v from 'valibot';
import { maskUrl } from './mask.js';
import { type OciReference, parseOciReference, writeOciReference } from './oci-reference.js';
import { about, mustBe } from './schema-type.js';
import { name } from './value-types.js';

/** A source of bundles, by its scheme. */
export type BundleSourceConfig =
  | { readonly kind: 'file'; readonly file: string }
  | { readonly kind: 'http'; readonly url: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly key: string }
  | { readonly kind: 'oci'; readonly reference: OciReference };

const FORMS = 'a file, or `https://…`, `s3://bucket/key` or `oci://host/repository:tag`';

/** A value of `bundle.source`. */
export const bundleSource = v.pipe(
  name,
  v.rawTransform<string, BundleSourceConfig>(({ dataset: { value }, addIssue, NEVER }) => {
    const source = parseSource(value);
    if (typeof source !== 'string') return source;
    // What is written may have credentials.
    addIssue({ message: mustBe(`${FORMS}: ${source}`, false) });
    return NEVER;
  }),
  about({
    words: 'path or URL',
    json: { type: 'string', minLength: 1 },
    show: (written) => maskUrl(String(written)),
  }),
);

const SCHEME = /^([A-Za-z][A-Za-z0-9+.-]+):\/\//;

/** Returns the reason if the string is not a source. */
function parseSource(written: string): BundleSourceConfig | string {
  const scheme = SCHEME.exec(written)?.[1]?.toLowerCase();
  switch (scheme) {
    case undefined:
      return { kind: 'file', file: written };
    case 'http':
    case 'https':
      return parseHttp(written);
    case 's3':
      return parseS3(written);
    case 'oci': {
      const reference = parseOciReference(written);
      return reference === undefined ? 'it is not a reference of a registry' : { kind: 'oci', reference };
    }
    default:
      return `the scheme \`${scheme.slice(0, 20)}\` is not known`;
  }
}

function parseHttp(written: string): BundleSourceConfig | string {
  if (!URL.canParse(written)) return 'it is not a URL';
  const url = new URL(written);
  if (url.username !== '' || url.password !== '') return 'credentials belong in `bundle.credentials`';
  url.hash = '';
  return { kind: 'http', url: url.href };
}

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;

function parseS3(written: string): BundleSourceConfig | string {
  const rest = written.slice('s3://'.length);
  const slash = rest.indexOf('/');
  const bucket = rest.slice(0, slash);
  const key = rest.slice(slash + 1);
  if (slash < 0 || !BUCKET.test(bucket)) return 'it has no valid bucket';
  return key === '' || key.length > 1024 ? 'it has no valid key' : { kind: 's3', bucket, key };
}

/** Writes a source as a file would say it. */
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
