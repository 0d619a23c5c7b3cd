import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { HttpClient, type HttpResponse, limitsWithin } from '../outgoing/http-client.js';
import { HttpError } from '../outgoing/http-error.js';
import { PodCredentials } from './pod-credentials.js';
import { type CredentialSource, readCredentials } from './s3-credentials.js';

/** Where a bucket of S3-compatible storage is. */
export interface BucketAddress {
  /** `https://storage.example.com`, with an optional path; undefined: the endpoint of the region at AWS. */
  readonly endpoint: string | undefined;
  readonly region: string;
  readonly bucket: string;
  /** Whether the bucket is the first segment of the path instead of a part of the host name. */
  readonly pathStyle: boolean;
}

/** A bucket, and how to reach it. */
export interface S3Options extends BucketAddress {
  readonly credentials: CredentialSource;
  /** CA certificates (PEM) that verify the endpoint instead of the ones of the platform. */
  readonly ca?: Buffer | undefined;
  /** Limit for a request with its response, in milliseconds. */
  readonly timeout: number;
  /** Sends the requests, and is closed by its owner; absent: one with `ca`, and the proxy of the environment. */
  readonly client?: HttpClient | undefined;
}

export interface S3Object {
  readonly body: Buffer;
  readonly etag: string | undefined;
  /** Date as the server writes it. */
  readonly lastModified: string | undefined;
}

export interface GetOptions {
  /** A longer object is an error. In bytes. */
  readonly maxBytes: number;
  /** The ETag of a known object: `get` returns undefined if the object is still the same. */
  readonly ifNoneMatch?: string | undefined;
}

export interface PutOptions {
  readonly contentType: string;
  readonly contentEncoding?: string;
}

/** A request that failed: what the storage answered, or why there is no answer. Contains no credentials. */
export class S3Error extends Error {
  constructor(
    message: string,
    /** Undefined: there is no answer. */
    readonly status: number | undefined,
    /** Such as `NoSuchKey` or `SignatureDoesNotMatch`, if the storage says. */
    readonly code: string | undefined,
    options?: { readonly cause: unknown },
  ) {
    super(message, options);
  }

  /** Whether the same request can succeed later. */
  get isTransient(): boolean {
    return this.status === undefined || this.status === 429 || this.status >= 500 || TRANSIENT_CODES.has(this.code);
  }
}

const TRANSIENT_CODES: ReadonlySet<string | undefined> = new Set(['RequestTimeout', 'SlowDown', 'OperationAborted']);
/** Limit for an error response, in bytes. */
const MAX_ERROR_BODY = 64 * 1024;
/** Connections for objects that are read or written at the same time. */
const MAX_CONNECTIONS = 64;

/**
 * Reads and writes objects of a bucket. Requests are signed (AWS Signature Version 4), bounded in time and size, and go
 * through the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name. Credentials are read for each request, so
 * that a file can be replaced; those of a pod are renewed before they expire.
 */
export class S3Client {
  readonly #base: URL;
  readonly #client: HttpClient;
  readonly #pod = new PodCredentials();

  /** Throws a TypeError if the endpoint is not a URL. */
  constructor(private readonly options: S3Options) {
    const { timeout, ca } = options;
    this.#base = bucketUrl(options);
    const limits = limitsWithin(timeout, Number.POSITIVE_INFINITY);
    this.#client =
      options.client ??
      new HttpClient({ origin: this.#base.origin, limits, tls: { ca }, connections: MAX_CONNECTIONS });
  }

  /** The object; undefined if it is still the one of `ifNoneMatch`. Rejects with an S3Error. */
  async get(key: string, { maxBytes, ifNoneMatch }: GetOptions): Promise<S3Object | undefined> {
    const headers: Record<string, string> = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
    const { status, headers: answered, body } = await this.#send('GET', key, headers, undefined, maxBytes);
    if (status === 304) return undefined;
    return { body, etag: answered['etag'], lastModified: answered['last-modified'] };
  }

  /** Resolves when the storage has the object. Repeating a `put` is safe. Rejects with an S3Error. */
  async put(key: string, content: Buffer, { contentType, contentEncoding }: PutOptions): Promise<void> {
    const headers: Record<string, string> = {
      'content-type': contentType,
      ...(contentEncoding === undefined ? {} : { 'content-encoding': contentEncoding }),
    };
    await this.#send('PUT', key, headers, content, MAX_ERROR_BODY);
  }

  async close(): Promise<void> {
    if (this.options.client === undefined) await this.#client.close();
  }

  async #send(
    method: 'GET' | 'PUT',
    key: string,
    headers: Record<string, string>,
    content: Buffer | undefined,
    maxSize: number,
  ): Promise<HttpResponse> {
    const object = `s3://${this.options.bucket}/${key}`;
    const signed = await this.#sign(method, key, headers, content);
    let response: HttpResponse;
    try {
      response = await this.#client.send({
        method,
        ...signed,
        ...(content !== undefined && { body: content }),
        // A signature is for one host and path.
        maxRedirects: 0,
        maxSize,
        maxErrorSize: MAX_ERROR_BODY,
      });
    } catch (error) {
      if (error instanceof HttpError && error.reason === 'too_large')
        throw new S3Error(`${object} is larger than ${maxSize} bytes`, 200, 'TooLarge');
      throw new S3Error(`${method} ${object}: ${(error as Error).message}`, undefined, undefined, { cause: error });
    }
    const isExpected = response.status === 200 || (response.status === 304 && method === 'GET');
    if (!isExpected) throw refusal(`${method} ${object}`, response);
    return response;
  }

  async #sign(
    method: string,
    key: string,
    headers: Record<string, string>,
    content: Buffer | undefined,
  ): Promise<{ readonly url: URL; readonly headers: Record<string, string> }> {
    const url = new URL(this.#base);
    url.pathname += encodeKey(key);
    const digest = createHash('sha256')
      .update(content ?? '')
      .digest('hex');
    const credentials = await readCredentials(this.options.credentials, process.env, this.#pod);
    const signer = new AwsV4Signer({
      ...credentials,
      method,
      url: url.href,
      headers: { ...headers, 'x-amz-content-sha256': digest },
      service: 's3',
      region: this.options.region,
    });
    const signed = await signer.sign();
    return { url, headers: Object.fromEntries(signed.headers) };
  }
}

/** The address of a bucket by its configuration. Without a region, that of the environment counts, then us-east-1. */
export function bucketAddress(
  {
    endpoint,
    region,
    pathStyle,
  }: Pick<BucketAddress, 'endpoint' | 'pathStyle'> & { readonly region: string | undefined },
  bucket: string,
): BucketAddress {
  return { endpoint, region: region ?? process.env['AWS_REGION'] ?? 'us-east-1', bucket, pathStyle };
}

/** Where the keys of a bucket are. Throws a TypeError if the endpoint is not a URL. */
export function bucketUrl({ endpoint, region, bucket, pathStyle }: BucketAddress): URL {
  const url = new URL(endpoint ?? `https://s3.${region}.amazonaws.com`);
  const path = url.pathname.replace(/\/$/, '');
  if (!pathStyle) url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = pathStyle ? `${path}/${bucket}/` : `${path}/`;
  return url;
}

/** Escapes a key as Signature Version 4 wants a path: everything but unreserved characters and slashes is escaped. */
function encodeKey(key: string): string {
  const escape = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return key
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replaceAll(/[!'()*]/g, escape);
}

/** The error that a response describes; its body is XML, of which only two elements count. */
function refusal(what: string, { status, body }: HttpResponse): S3Error {
  const text = body.toString();
  const code = readElement(text, 'Code');
  const message = readElement(text, 'Message');
  const details = [code, message].filter((part) => part !== undefined).join(': ');
  return new S3Error(`${what}: status ${status}${details === '' ? '' : ` (${details})`}`, status, code);
}

function readElement(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  return start < 0 || end < 0 ? undefined : xml.slice(start + name.length + 2, end).slice(0, 200);
}
