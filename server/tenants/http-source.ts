import { readFile } from 'node:fs/promises';
import { maskUrl } from '../config/mask.js';
import { HttpClient, type HttpResponse, limitsWithin } from '../outgoing/http-client.js';
import { HttpError } from '../outgoing/http-error.js';
import { takeCredentials } from '../outgoing/basic-credentials.js';
import { type FetchedTenant, MAX_DOCUMENT, type TenantSource, tooLarge } from './tenant-source.js';

/** Documents over HTTP. */
export interface HttpSourceOptions {
  /** URL with `{tenant}` in its path or query; it may have a name and a password. */
  readonly url: string;
  /** A file with a bearer token, which is read for each request; undefined: none. */
  readonly tokenFile: string | undefined;
  /** Limit for a request with its response, in milliseconds. */
  readonly timeout: number;
}

/** Connections for tenants that are loaded at the same time. */
const MAX_CONNECTIONS = 64;

/**
 * Documents from a server: a conditional request for each, by its ETag. 404 and 410 mean that a tenant has no roles.
 * Redirects are not followed, so that credentials stay with the server.
 */
export function httpSource({ url, tokenFile, timeout }: HttpSourceOptions): TenantSource {
  const template = new URL(url);
  const basic = takeCredentials(template);
  const text = decodeURI(template.href);
  const limits = limitsWithin(timeout, MAX_DOCUMENT);
  const client = new HttpClient({ origin: template.origin, limits, connections: MAX_CONNECTIONS });
  return {
    name: maskUrl(text),
    async fetch(tenant, known, signal) {
      const credentials =
        tokenFile === undefined ? basic : { authorization: `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}` };
      const headers = {
        accept: 'application/json, application/yaml',
        ...(known?.startsWith(ETAG) && { 'if-none-match': known.slice(ETAG.length) }),
      };
      const to = new URL(text.replaceAll('{tenant}', tenant));
      try {
        return documentIn(await client.send({ method: 'GET', url: to, headers, credentials, signal, maxRedirects: 0 }));
      } catch (error) {
        if (error instanceof HttpError && error.reason === 'too_large') return tooLarge(versionIn(error.headers ?? {}));
        throw error;
      }
    },
    close: () => client.close(),
  };
}

/** How versions begin that an answer had as its ETag. */
const ETAG = 'etag ';

function documentIn({ status, headers, body }: HttpResponse): FetchedTenant {
  if (status === 200) return { kind: 'fetched', version: versionIn(headers), text: body.toString('utf8') };
  if (status === 304) return { kind: 'unchanged' };
  if (status === 404 || status === 410) return { kind: 'missing' };
  throw new Error(`answered with status ${status}`);
}

function versionIn(headers: HttpResponse['headers']): string {
  const etag = headers['etag'];
  return etag === undefined ? '' : `${ETAG}${etag}`;
}
