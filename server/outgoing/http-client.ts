import { type Dispatcher, EnvHttpProxyAgent } from 'undici';
import type { HttpProxy } from '../config/bundle-config.js';
import { HttpError } from './http-error.js';
import { readBody } from './read-body.js';
import { firstHop, type Hop, isRedirect, nextHop, RedirectError } from './redirects.js';

/** How long requests may take, in milliseconds, and how much they may return. */
export interface HttpLimits {
  /** Limit until there is a connection, TLS included. */
  readonly connect: number;
  /** Limit without a byte from the server. */
  readonly idle: number;
  /** A whole request, with redirects and body. */
  readonly whole: number;
  /** Limit for a body, in bytes. */
  readonly maxSize: number;
}

/** The limits of requests that may take so many milliseconds as a whole, and return so many bytes. */
export function limitsWithin(timeout: number, maxSize: number): HttpLimits {
  return { connect: timeout, idle: timeout, whole: timeout, maxSize };
}

/** A private authority and a client certificate, as the PEM files have them. */
export interface TlsTexts {
  readonly ca?: Buffer | undefined;
  readonly cert?: Buffer | undefined;
  readonly key?: Buffer | undefined;
}

export interface HttpClientOptions {
  /** Origin of the source: others are not shown the client certificate. */
  readonly origin: string;
  readonly limits: HttpLimits;
  /** TLS settings: by default no client certificate, and the authorities of the platform. */
  readonly tls?: TlsTexts;
  /** Proxy, by default that of the environment. */
  readonly proxy?: Partial<HttpProxy>;
  /** Connections to each origin; 4 if not set. */
  readonly connections?: number;
}

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT';
  readonly url: URL;
  /** Headers for whatever origin answers. */
  readonly headers?: { readonly [name: string]: string };
  /** Only for the origin of `url`: once redirected to another one, the request has none. */
  readonly credentials?: { readonly [name: string]: string } | undefined;
  readonly body?: Uint8Array;
  readonly signal?: AbortSignal;
  /** Redirects that are followed; 3 if not set. A request with a body follows none. */
  readonly maxRedirects?: number;
  /** Limit for the body, in bytes, if less than the limit of the client. */
  readonly maxSize?: number;
  /** Limit for the body of an error, in bytes: it is read up to here. 0 if not set. */
  readonly maxErrorSize?: number;
  /** The server may hold the request this long before it sends headers, in milliseconds, or until `hold` is aborted. */
  readonly held?: { readonly for: number; readonly until: AbortSignal };
}

/** A complete response. */
export interface HttpResponse {
  readonly status: number;
  /** Whether it comes from the origin of the request, which only its own redirects have led on. */
  readonly isOwn: boolean;
  /** Headers by name in lower case; the first of several. */
  readonly headers: { readonly [name: string]: string };
  /** Empty for a status other than 2xx, unless the request wants errors. */
  readonly body: Buffer;
}

/** Limit for a response that is not read, in bytes: up to here its connection is used again. */
const LARGEST_DUMP = 64 * 1024;
const MAX_REDIRECTS = 3;
const MAX_CONNECTIONS = 4;

/**
 * Sends requests within limits of time and size, with the certificates and the proxy of the configuration, by undici:
 * the platform's `fetch` knows neither (docs/decisions/bundles-and-sources.md#0097).
 */
export class HttpClient {
  readonly #own: Dispatcher;
  /** Dispatcher for other origins, to which a redirect leads: without the client certificate. */
  readonly #others: Dispatcher;

  constructor(private readonly options: HttpClientOptions) {
    const { cert, key } = options.tls ?? {};
    this.#own = dispatcher(options);
    this.#others =
      cert === undefined && key === undefined
        ? this.#own
        : dispatcher({ ...options, tls: { ...options.tls, cert: undefined, key: undefined } });
  }

  /** Resolves with a response of any status. Rejects with an HttpError if there is none, or it is too large. */
  async send(request: HttpRequest): Promise<HttpResponse> {
    const { held, maxRedirects = request.body === undefined ? MAX_REDIRECTS : 0 } = request;
    const whole = this.options.limits.whole + (held?.for ?? 0);
    const timeout = AbortSignal.timeout(whole);
    const signal = AbortSignal.any([timeout, ...(request.signal === undefined ? [] : [request.signal])]);
    const progress: Progress = { hasHeaders: false };
    try {
      let hop = firstHop(request.url);
      for (let redirects = 0; ; redirects++) {
        const response = await this.#sendOnce(request, hop, signal, progress);
        const location = response.headers['location'];
        if (!isRedirect(response.status) || location === undefined || maxRedirects === 0) return response;
        if (redirects === maxRedirects) throw new HttpError('redirect', 'redirected too often');
        hop = nextHop(hop, location);
      }
    } catch (error) {
      throw toHttpError(error, progress, timeout.aborted ? whole : undefined);
    }
  }

  /** Sends requests to a URL within the limits for connections. */
  dispatcherFor({ origin }: URL): Dispatcher {
    return origin === this.options.origin ? this.#own : this.#others;
  }

  async close(): Promise<void> {
    await Promise.all([this.#own.destroy(), this.#others.destroy()]);
  }

  async #sendOnce(
    request: HttpRequest,
    { url, isOwn }: Hop,
    signal: AbortSignal,
    progress: Progress,
  ): Promise<HttpResponse> {
    const { limits } = this.options;
    const { method, held } = request;
    // A server may stop holding a request; whoever sends it may, too, but only as long as there is no response.
    const sending = new AbortController();
    const stop = (): void => sending.abort(held?.until.reason);
    if (held?.until.aborted === true) stop();
    held?.until.addEventListener('abort', stop);
    try {
      const { statusCode, headers, body } = await (isOwn ? this.dispatcherFor(url) : this.#others).request({
        origin: url.origin,
        path: url.pathname + url.search,
        method,
        headers: { 'accept-encoding': 'identity', ...request.headers, ...(isOwn && request.credentials) },
        body: request.body ?? null,
        signal: AbortSignal.any([signal, sending.signal]),
        headersTimeout: limits.idle + (held?.for ?? 0),
        bodyTimeout: limits.idle,
      });
      held?.until.removeEventListener('abort', stop);
      progress.hasHeaders = true;
      const all = keepFirst(headers);
      const answer = { status: statusCode, isOwn, headers: all };
      const isError = statusCode < 200 || statusCode > 299;
      if ((isError && !request.maxErrorSize) || method === 'HEAD') {
        await body.dump({ limit: LARGEST_DUMP, signal });
        return { ...answer, body: Buffer.alloc(0) };
      }
      try {
        if (isError) return { ...answer, body: await readBeginning(body, request.maxErrorSize ?? 0) };
        return { ...answer, body: await read(body, all, Math.min(limits.maxSize, request.maxSize ?? limits.maxSize)) };
      } finally {
        // A body that was not read to its end is not waited for.
        body.on('error', () => undefined).destroy();
      }
    } finally {
      held?.until.removeEventListener('abort', stop);
    }
  }
}

/** How far a request got. */
interface Progress {
  hasHeaders: boolean;
}

function dispatcher({ limits, tls = {}, proxy = {}, connections = MAX_CONNECTIONS }: HttpClientOptions): Dispatcher {
  return new EnvHttpProxyAgent({
    connect: { timeout: limits.connect, ...tls },
    // Of the origin behind a proxy, and of the proxy, which gets no client certificate.
    requestTls: { timeout: limits.connect, ...tls },
    proxyTls: { timeout: limits.connect, ca: tls.ca },
    // Many proxies refuse to tunnel to a port that is not 443.
    proxyTunnel: false,
    connections,
    pipelining: 1,
    // An empty string means none; undefined, that of the environment.
    ...(proxy.url !== undefined && { httpProxy: proxy.url, httpsProxy: proxy.url }),
    ...(proxy.exceptions !== undefined && { noProxy: proxy.exceptions.join(',') }),
  } as ConstructorParameters<typeof EnvHttpProxyAgent>[0]);
}

function keepFirst(headers: { readonly [name: string]: string | string[] | undefined }): HttpResponse['headers'] {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return first === undefined ? [] : [[name.toLowerCase(), first]];
    }),
  );
}

async function read(body: AsyncIterable<Buffer>, headers: HttpResponse['headers'], maxSize: number): Promise<Buffer> {
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity')
    throw new HttpError('protocol', `sent a body in the encoding \`${encoding}\`, which was not requested`);
  const tooLarge = (): HttpError => new HttpError('too_large', `sent more than ${maxSize} bytes`, headers);
  const length = headers['content-length'];
  return readBody(body, length === undefined ? undefined : Number(length), maxSize, tooLarge);
}

async function readBeginning(body: AsyncIterable<Buffer>, length: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= length) break;
  }
  return Buffer.concat(chunks).subarray(0, length);
}

const TIMEOUTS = new Set(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT', 'ETIMEDOUT']);
const TRUNCATIONS = new Set(['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', 'UND_ERR_SOCKET', 'ECONNRESET', 'EPIPE']);
/** Codes of the platform for certificates that are not accepted, and of OpenSSL. */
const TLS_PROBLEM =
  /^(ERR_TLS|ERR_SSL|EPROTO$|CERT_|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|HOSTNAME_MISMATCH|UND_ERR_PRX_TLS)/;

/** @param whole the time limit of the request in milliseconds, if it has passed. */
function toHttpError(error: unknown, { hasHeaders }: Progress, whole: number | undefined): HttpError {
  if (error instanceof HttpError) return error;
  if (error instanceof RedirectError) return new HttpError('redirect', error.message);
  if (whole !== undefined) return new HttpError('timeout', `no complete response in ${whole} ms`);
  const { code = '', name, message } = error as NodeJS.ErrnoException;
  const inner = innerCode(error) ?? code;
  if (TIMEOUTS.has(code)) return new HttpError('timeout', 'the server stalled');
  if (TLS_PROBLEM.test(inner)) return new HttpError('tls', `TLS failed (${inner})`);
  if (name === 'HTTPParserError' || code.startsWith('HPE_') || code === 'UND_ERR_HEADERS_OVERFLOW')
    return new HttpError('protocol', 'sent an invalid HTTP response');
  if (hasHeaders && TRUNCATIONS.has(code)) return new HttpError('truncated', 'the response was truncated');
  if (code === 'UND_ERR_ABORTED' && message.startsWith('Proxy response'))
    return new HttpError('unreachable', 'the proxy did not connect to the server');
  return new HttpError('unreachable', inner === '' ? 'cannot be reached' : `cannot be reached (${inner})`);
}

/** The code of the cause of an error; of the first cause if several addresses were tried. */
function innerCode(error: unknown): string | undefined {
  const { cause, errors } = error as { readonly cause?: unknown; readonly errors?: readonly unknown[] };
  const inner = cause ?? errors?.[0];
  return inner === undefined || inner === null
    ? undefined
    : ((inner as NodeJS.ErrnoException).code ?? innerCode(inner));
}
