import { readFile } from 'node:fs/promises';
import { maskUrl } from '../config/mask.js';
import { type FetchedTenant, MAX_DOCUMENT, type TenantSource, tooLarge } from './tenant-source.js';

/** Documents over HTTP. */
export interface HttpSourceOptions {
  /** With `{tenant}` in its path or query; it may have a name and a password. */
  readonly url: string;
  /** A file with a bearer token, which is read for each request; undefined: none. */
  readonly tokenFile: string | undefined;
}

/**
 * Documents from a server: a conditional request for each, by its ETag. 404 and 410 mean that a tenant has no roles.
 * Redirects are not followed, so that credentials stay with the server.
 */
export function httpSource({ url, tokenFile }: HttpSourceOptions): TenantSource {
  const template = new URL(url);
  const basic = basicOf(template);
  template.username = '';
  template.password = '';
  const text = decodeURI(template.href);
  return {
    name: maskUrl(text),
    async fetch(tenant, known, signal) {
      const authorization = tokenFile === undefined ? basic : `Bearer ${(await readFile(tokenFile, 'utf8')).trim()}`;
      const response = await fetch(text.replaceAll('{tenant}', tenant), {
        redirect: 'manual',
        signal,
        headers: {
          accept: 'application/json, application/yaml',
          ...(authorization !== undefined && { authorization }),
          ...(known?.startsWith(ETAG) && { 'if-none-match': known.slice(ETAG.length) }),
        },
      });
      return fetchedFrom(response);
    },
    close: async () => {},
  };
}

/** How versions begin that an answer had as its ETag. */
const ETAG = 'etag ';

async function fetchedFrom(response: Response): Promise<FetchedTenant> {
  const { status, headers } = response;
  if (status !== 200) {
    await response.body?.cancel();
    if (status === 304) return { kind: 'unchanged' };
    if (status === 404 || status === 410) return { kind: 'missing' };
    throw new Error(`answered with status ${status}`);
  }
  const etag = headers.get('etag');
  const version = etag === null ? '' : `${ETAG}${etag}`;
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > MAX_DOCUMENT) return tooLarge(version);
    chunks.push(chunk);
  }
  return { kind: 'fetched', version, text: Buffer.concat(chunks).toString('utf8') };
}

function basicOf({ username, password }: URL): string | undefined {
  if (username === '' && password === '') return undefined;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}
