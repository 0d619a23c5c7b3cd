import { createHash } from 'node:crypto';
import { AwsV4Signer } from 'aws4fetch';
import { Agent, type Dispatcher, EnvHttpProxyAgent, request } from 'undici';
import { readBody } from '../outgoing/read-body.js';
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
  readonly ca?: string | Buffer | undefined;
  /** Of a request with its response, in milliseconds. */
  readonly timeout: number;
  /** Sends the requests, and is closed by its owner; absent: one with `ca`, and the proxy of the environment. */
  readonly dispatcher?: Dispatcher | undefined;
}

export interface S3Object {
  readonly body: Buffer;
  readonly etag: string | undefined;
  /** As the server writes it. */
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
/** Of an error response, in bytes. */
const MAX_ERROR_BODY = 64 * 1024;

/**
 * Reads and writes objects of a bucket. Requests are signed (AWS Signature Version 4), bounded in time and size, and go
 * through the proxy that `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` name. Credentials are read for each request, so
 * that a file can be replaced; those of a pod are renewed before they expire.
 */
export class S3Client {
  readonly #base: URL;
  readonly #dispatcher: Dispatcher;
  readonly #pod = new PodCredentials();

  /** Throws a TypeError if the endpoint is not a URL. */
  constructor(private readonly options: S3Options) {
    this.#base = bucketUrl(options);
    const connect = { timeout: options.timeout, ...(options.ca === undefined ? {} : { ca: options.ca }) };
    const common = { connect, headersTimeout: options.timeout, bodyTimeout: options.timeout };
    this.#dispatcher =
      options.dispatcher ??
      (hasProxy() ? new EnvHttpProxyAgent({ ...common, requestTls: connect }) : new Agent(common));
  }

  /** The object; undefined if it is still the one of `ifNoneMatch`. Rejects with an S3Error. */
  async get(key: string, { maxBytes, ifNoneMatch }: GetOptions): Promise<S3Object | undefined> {
    const headers: Record<string, string> = ifNoneMatch === undefined ? {} : { 'if-none-match': ifNoneMatch };
    const signal = AbortSignal.timeout(this.options.timeout);
    return this.#send('GET', key, headers, undefined, signal, async ({ statusCode, headers: answered, body }) => {
      if (statusCode === 304) {
        await body.dump();
        return undefined;
      }
      const bytes = await readAtMost({ body, headers: answered }, maxBytes, `s3://${this.options.bucket}/${key}`);
      return { body: bytes, etag: textOf(answered['etag']), lastModified: textOf(answered['last-modified']) };
    });
  }

  /** Resolves when the storage has the object. Repeating a `put` is safe. Rejects with an S3Error. */
  async put(key: string, content: Buffer, { contentType, contentEncoding }: PutOptions): Promise<void> {
    const headers: Record<string, string> = {
      'content-type': contentType,
      ...(contentEncoding === undefined ? {} : { 'content-encoding': contentEncoding }),
    };
    const signal = AbortSignal.timeout(this.options.timeout);
    await this.#send('PUT', key, headers, content, signal, ({ body }) => body.dump());
  }

  async close(): Promise<void> {
    if (this.options.dispatcher === undefined) await this.#dispatcher.destroy();
  }

  async #send<T>(
    method: 'GET' | 'PUT',
    key: string,
    headers: Record<string, string>,
    content: Buffer | undefined,
    signal: AbortSignal,
    read: (response: Dispatcher.ResponseData) => Promise<T>,
  ): Promise<T> {
    const what = `${method} s3://${this.options.bucket}/${key}`;
    const signed = await this.#sign(method, key, headers, content);
    try {
      const response = await request(signed.url, {
        method,
        headers: signed.headers,
        body: content ?? null,
        dispatcher: this.#dispatcher,
        signal,
      });
      const isExpected = response.statusCode === 200 || (response.statusCode === 304 && method === 'GET');
      if (!isExpected) throw await refusal(what, response);
      return await read(response);
    } catch (error) {
      if (error instanceof S3Error) throw error;
      const reason = signal.aborted ? `no answer within ${this.options.timeout} ms` : reasonOf(error);
      throw new S3Error(`${what}: ${reason}`, undefined, undefined, { cause: error });
    }
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

/** As Signature Version 4 wants a path: everything but unreserved characters and slashes is escaped. */
function encodeKey(key: string): string {
  const escape = (char: string): string => `%${char.charCodeAt(0).toString(16).toUpperCase()}`;
  return key
    .split('/')
    .map(encodeURIComponent)
    .join('/')
    .replaceAll(/[!'()*]/g, escape);
}

function hasProxy(): boolean {
  const { env } = process;
  return ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'].some((name) => (env[name] ?? '') !== '');
}

async function readAtMost(
  { body, headers }: Pick<Dispatcher.ResponseData, 'body' | 'headers'>,
  maxBytes: number,
  what: string,
): Promise<Buffer> {
  const length = textOf(headers['content-length']);
  const tooLarge = (): S3Error => new S3Error(`${what} is larger than ${maxBytes} bytes`, 200, 'TooLarge');
  try {
    return await readBody(body, length === undefined ? undefined : Number(length), maxBytes, tooLarge);
  } finally {
    // A body that was not read to its end is not waited for.
    body.on('error', () => undefined).destroy();
  }
}

/** The error that a response describes; its body is XML, of which only two elements count. */
async function refusal(what: string, { statusCode, body, headers }: Dispatcher.ResponseData): Promise<S3Error> {
  const text = (await readAtMost({ body, headers }, MAX_ERROR_BODY, what).catch(() => Buffer.alloc(0))).toString();
  const code = elementOf(text, 'Code');
  const message = elementOf(text, 'Message');
  const details = [code, message].filter((part) => part !== undefined).join(': ');
  return new S3Error(`${what}: status ${statusCode}${details === '' ? '' : ` (${details})`}`, statusCode, code);
}

function elementOf(xml: string, name: string): string | undefined {
  const start = xml.indexOf(`<${name}>`);
  const end = xml.indexOf(`</${name}>`, start);
  return start < 0 || end < 0 ? undefined : xml.slice(start + name.length + 2, end).slice(0, 200);
}

function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException;
  return message === '' ? (code ?? 'the connection failed') : message;
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  return typeof header === 'string' ? header : header?.[0];
}
