import type { BundleConfig } from '../config/bundle-config.js';
import type { S3Config } from '../config/s3.js';
import { bucketAddress, bucketUrl, S3Client, S3Error } from '../s3/s3-client.js';
import type { HttpClient } from '../outgoing/http-client.js';
import { type Fetched, type Origin, OriginError, type OriginFailure } from './origin.js';

export interface S3OriginOptions {
  readonly bucket: string;
  readonly key: string;
  readonly s3: S3Config;
  readonly client: HttpClient;
  readonly limits: BundleConfig['limits'];
}

/** A bundle in S3-compatible storage. Requests are conditional by ETag. */
export class S3Origin implements Origin {
  readonly name: string;
  readonly #client: S3Client;

  constructor(private readonly options: S3OriginOptions) {
    const { bucket, key, s3, client, limits } = options;
    this.name = `s3://${bucket}/${key}`;
    this.#client = new S3Client({
      ...bucketAddress(s3, bucket),
      credentials: { file: s3.credentialsFile, profile: s3.profile },
      timeout: limits.whole,
      client,
    });
  }

  async fetch(known: string | undefined, signal: AbortSignal): Promise<Fetched> {
    const { key, limits } = this.options;
    try {
      const object = await this.#client.get(key, { maxBytes: limits.maxSize, ifNoneMatch: known });
      signal.throwIfAborted();
      if (object === undefined) return { kind: 'unchanged', holds: false };
      if (object.etag === undefined) throw new OriginError('protocol', 'the storage sent no ETag');
      return { kind: 'fetched', version: object.etag, bytes: object.body, holds: false };
    } catch (error) {
      throw toOriginError(error);
    }
  }

  close(): Promise<void> {
    return this.options.client.close();
  }
}

/** Where the keys of a bucket are. */
export function makeEndpoint(s3: S3Config, bucket: string): URL {
  return bucketUrl(bucketAddress(s3, bucket));
}

function toOriginError(error: unknown): Error {
  if (!(error instanceof S3Error)) return error instanceof OriginError ? error : credentialsError(error as Error);
  return new OriginError(toFailure(error), error.message);
}

/** The one other error of the client: there are no credentials. */
function credentialsError({ message }: Error): OriginError {
  return new OriginError('credentials', message);
}

function toFailure({ code, status, message }: S3Error): OriginFailure {
  if (code === 'TooLarge') return 'too_large';
  if (status === 401 || status === 403) return 'credentials';
  if (status !== undefined) return 'status';
  return message.includes('no answer within') ? 'timeout' : 'unreachable';
}
