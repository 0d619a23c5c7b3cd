import type { S3Config } from '../config/s3.js';
import { bucketAddress, S3Client, S3Error } from '../s3/s3-client.js';
import { MAX_DOCUMENT, type TenantSource, tooLarge } from './tenant-source.js';

/** Documents in S3-compatible storage. */
export interface S3SourceOptions {
  /** `s3://bucket/key` with `{tenant}` in the key. */
  readonly url: string;
  readonly s3: S3Config;
  /** Limit for a request, in milliseconds. */
  readonly timeout: number;
}

/**
 * Documents in S3-compatible storage: a conditional request for each, by its ETag. An object that is not there means that
 * a tenant has no roles. A storage that lets the credentials read objects but not list the bucket answers 403 for it,
 * which is a failure.
 */
export function s3Source({ url, s3, timeout }: S3SourceOptions): TenantSource {
  const [, bucket = '', key = ''] = /^s3:\/\/([^/]+)\/(.+)$/.exec(url) ?? [];
  const client = new S3Client({
    ...bucketAddress(s3, bucket),
    credentials: { file: s3.credentialsFile, profile: s3.profile },
    timeout,
  });
  return {
    name: url,
    async fetch(tenant, known) {
      try {
        const object = await client.get(key.replaceAll('{tenant}', tenant), {
          maxBytes: MAX_DOCUMENT,
          ...(known !== '' && { ifNoneMatch: known }),
        });
        if (object === undefined) return { kind: 'unchanged' };
        return { kind: 'fetched', version: object.etag ?? '', text: object.body.toString('utf8') };
      } catch (error) {
        if (!(error instanceof S3Error)) throw error;
        if (error.code === 'TooLarge') return tooLarge('');
        if (error.status === 404 && error.code !== 'NoSuchBucket') return { kind: 'missing' };
        throw error;
      }
    },
    close: () => client.close(),
  };
}
