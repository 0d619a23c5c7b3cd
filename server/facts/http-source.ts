import { readFile } from 'node:fs/promises';
import { httpFactsBy, type HttpFactsOptions } from '../../packages/adapters/facts-http.js';
import type { ServedSource } from '../../runtime/facts/source.js';
import { HttpClient, limitsWithin } from '../outgoing/http-client.js';

/** Facts of a server that answers in JSON. */
export interface HttpSourceOptions extends Omit<HttpFactsOptions, 'headers' | 'maxBytes'> {
  /** A file with a bearer token, which is read for each request; undefined: none. */
  readonly tokenFile: string | undefined;
  /** Whether the header `authorization` of the caller is sent. Without one, nothing is. */
  readonly forwards: boolean;
  /** Milliseconds. */
  readonly deadline: number;
}

/** The longest answer, in bytes. */
const LONGEST = 1024 * 1024;
/** Connections: as many as requests of a source at once. */
const CONNECTIONS = 64;

/** Creates a source by the client of the server: credentials are only sent to the origin of the URL, which is fixed. */
export function httpSource({ tokenFile, forwards, ...options }: HttpSourceOptions): {
  readonly source: ServedSource;
  readonly close: () => Promise<void>;
} {
  const { origin } = new URL(options.url);
  const limits = limitsWithin(options.deadline, LONGEST);
  const client = new HttpClient({ origin, limits, connections: CONNECTIONS });
  const source = httpFactsBy(async (url, signal, { authorization }) => {
    // Another caller's answer, or that for anybody, may be another one.
    if (forwards && authorization === undefined)
      throw Object.assign(new Error('no credentials'), { code: 'no_authorization' });
    const { status, headers, body } = await client.send({
      method: 'GET',
      url: new URL(url),
      headers: { accept: 'application/json' },
      credentials: forwards
        ? { authorization: authorization as string }
        : tokenFile === undefined
          ? undefined
          : await readToken(tokenFile),
      signal,
      maxRedirects: 0,
    });
    // The operator sees it as the kind of the failure.
    if (status !== 200 && status !== options.missingStatus)
      throw Object.assign(new Error('not an answer'), { code: `status_${status}` });
    return { status, contentType: headers['content-type'] ?? '', body };
  }, options);
  return { source: { ...source, forwards }, close: () => client.close() };
}

async function readToken(file: string): Promise<{ readonly authorization: string }> {
  return { authorization: `Bearer ${(await readFile(file, 'utf8')).trim()}` };
}
