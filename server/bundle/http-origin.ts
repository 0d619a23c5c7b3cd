import { createHash } from 'node:crypto';
import type { BundleCredentials } from '../config/bundle-config.js';
import type { HttpClient, HttpResponse } from '../outgoing/http-client.js';
import { type Fetched, type Origin, OriginError } from './origin.js';
import { makeAuthorization } from './credentials.js';

export interface HttpOriginOptions {
  readonly url: URL;
  readonly client: HttpClient;
  readonly credentials: BundleCredentials;
  /** How long a server that offers it may hold a request, in milliseconds; 0: it is not asked to. */
  readonly longPoll: number;
}

/** The type of a bundle by which a server of the Open Policy Agent's protocol says that it can hold requests. */
const HOLDING_TYPE = 'application/vnd.openpolicyagent.bundles';
/** Part of a hold that a request must have taken for the server to have held it. */
const HELD = 0.5;

/**
 * A bundle at a URL. Requests are conditional by ETag and date. A server may hold them until there is another version:
 * the first request asks for that (`Prefer: wait`, RFC 7240), and only if the response says that the server does are
 * later ones held.
 */
export class HttpOrigin implements Origin {
  readonly name: string;
  #canHold = false;

  constructor(private readonly options: HttpOriginOptions) {
    this.name = nameUrl(options.url);
  }

  async fetch(known: string | undefined, signal: AbortSignal, hold?: AbortSignal): Promise<Fetched> {
    const { client, url, credentials, longPoll } = this.options;
    const validators = known === undefined ? undefined : readVersion(known);
    const isHeld = hold !== undefined && validators !== undefined && this.#canHold && longPoll > 0;
    // A request without validators is answered at once, whatever it prefers.
    const asks = longPoll > 0 && (validators === undefined || isHeld);
    const start = performance.now();
    let response: HttpResponse;
    try {
      response = await client.send({
        method: 'GET',
        url,
        signal,
        headers: {
          accept: `application/octet-stream, ${HOLDING_TYPE}, */*;q=0.5`,
          ...(asks && { prefer: `wait=${Math.ceil(longPoll / 1000)}` }),
          ...(validators?.etag !== undefined && { 'if-none-match': validators.etag }),
          ...(validators?.modified !== undefined && { 'if-modified-since': validators.modified }),
        },
        credentials: await makeAuthorization(credentials),
        ...(isHeld && { held: { for: longPoll, until: hold } }),
      });
    } catch (error) {
      if (isHeld && hold.aborted && !signal.aborted) return { kind: 'unchanged', holds: true };
      throw error;
    }
    if (response.status === 304 && known !== undefined) {
      const wasHeld = isHeld && performance.now() - start >= longPoll * HELD;
      return { kind: 'unchanged', holds: wasHeld };
    }
    if (response.status !== 200) throw statusError(response);
    this.#canHold = longPoll > 0 && offersHolding(response);
    const version = chooseVersion(response);
    return { kind: 'fetched', version, bytes: response.body, holds: this.#canHold };
  }

  close(): Promise<void> {
    return this.options.client.close();
  }
}

/** A response that has no bundle, for whatever reason. */
export function statusError({ status, headers }: HttpResponse): OriginError {
  const isRefusal = status === 401 || status === 403 || status === 407;
  return new OriginError(isRefusal ? 'credentials' : 'status', `answered with status ${status}`, retryAfter(headers));
}

/** Reads a pause in milliseconds: a number of seconds or a date. */
function retryAfter(headers: HttpResponse['headers']): number | undefined {
  const value = headers['retry-after']?.trim() ?? '';
  if (/^\d{1,9}$/.test(value)) return Number(value) * 1000;
  const date = /^[A-Z][a-z]{2}, /.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}

function offersHolding({ headers }: HttpResponse): boolean {
  const applied = headers['preference-applied'] ?? '';
  const type = headers['content-type'] ?? '';
  return /(?:^|[\s,;])wait(?:$|[\s,;=])/i.test(applied) || type.split(';')[0]?.trim() === HOLDING_TYPE;
}

/** What makes the next request conditional. */
interface Validators {
  readonly etag?: string;
  readonly modified?: string;
}

/** Longer ones are not sent back. */
const LONGEST_VALIDATOR = 1024;

/** The validators of a response; without any, the digest of its body. */
function chooseVersion({ headers, body }: HttpResponse): string {
  const { etag, 'last-modified': modified } = headers;
  const validators: Validators = {
    ...(isSendable(etag) && { etag }),
    ...(isSendable(modified) && { modified }),
  };
  return Object.keys(validators).length > 0
    ? JSON.stringify(validators)
    : `sha256:${createHash('sha256').update(body).digest('hex')}`;
}

function isSendable(value: string | undefined): value is string {
  return value !== undefined && value.length <= LONGEST_VALIDATOR && /^[\x20-\x7e]+$/.test(value);
}

/** A version may come from the disk. */
function readVersion(version: string): Validators | undefined {
  if (!version.startsWith('{')) return undefined;
  try {
    const { etag, modified } = JSON.parse(version) as { readonly [name: string]: unknown };
    return {
      ...(typeof etag === 'string' && isSendable(etag) && { etag }),
      ...(typeof modified === 'string' && isSendable(modified) && { modified }),
    };
  } catch {
    return undefined;
  }
}

/** The URL without credentials; queries are often signed. */
function nameUrl(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
