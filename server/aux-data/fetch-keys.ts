/** A fetched keyset. */
export interface FetchedKeys {
  readonly text: string;
  /** When to fetch it again, in milliseconds. */
  readonly freshFor: number;
}

/** How long an attempt may take, redirects and body included, in milliseconds. */
const TIMEOUT = 10_000;
/** More than any keyset has, in bytes. */
const LARGEST = 1024 * 1024;
const MOST_REDIRECTS = 3;

/**
 * Gets the text of a keyset. Redirects are followed while the scheme stays, and credentials of the URL stay with its
 * origin. Rejects with a reason that is fit for the log: no credentials, nothing of the body.
 */
export async function fetchKeys(url: string, timeout = TIMEOUT): Promise<FetchedKeys> {
  const first = new URL(url);
  const authorization = authorizationOf(first);
  const signal = AbortSignal.timeout(timeout);
  let at = first;
  try {
    for (let redirects = 0; ; redirects++) {
      const headers = {
        accept: 'application/jwk-set+json, application/json',
        ...(at.origin === first.origin && authorization),
      };
      const response = await fetch(at, { redirect: 'manual', signal, headers });
      const next = response.headers.get('location');
      if (response.status < 300 || response.status > 399 || next === null) return await read(response);
      await response.body?.cancel();
      if (redirects === MOST_REDIRECTS) throw new FetchProblem('too many redirects');
      at = redirected(at, next);
    }
  } catch (error) {
    throw new Error(reasonOf(error, timeout));
  }
}

/** A problem whose message may be told. */
class FetchProblem extends Error {}

/** Takes name and password out of a URL, which cannot be fetched with them, as a header. */
function authorizationOf(url: URL): { readonly authorization: string } | undefined {
  const { username, password } = url;
  url.username = '';
  url.password = '';
  if (username === '' && password === '') return undefined;
  return {
    authorization: `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
  };
}

function redirected(from: URL, location: string): URL {
  if (!URL.canParse(location, from.href)) throw new FetchProblem('redirected to nowhere');
  const next = new URL(location, from);
  if (next.protocol !== from.protocol) throw new FetchProblem('redirected to another scheme');
  next.username = '';
  next.password = '';
  return next;
}

async function read(response: Response): Promise<FetchedKeys> {
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new FetchProblem(`answered with status ${response.status}`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as unknown as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > LARGEST) throw new FetchProblem(`answered with more than ${LARGEST} bytes`);
    chunks.push(chunk);
  }
  return { text: Buffer.concat(chunks).toString('utf8'), freshFor: freshFor(response.headers) };
}

/** In milliseconds: what an answer says is kept within reason. */
const SHORTEST = 30_000;
const LONGEST = 24 * 3_600_000;
const HOURLY = 3_600_000;

/** `Cache-Control` counts more than `Expires`; without both, an hour (docs/spec/server.md#keysets). */
function freshFor(headers: Headers): number {
  const control = headers.get('cache-control')?.toLowerCase() ?? '';
  const maxAge = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})/.exec(control)?.[1];
  if (/(?:^|[\s,])no-(?:store|cache)(?:$|[\s,=])/.test(control)) return SHORTEST;
  if (maxAge !== undefined) return within(Number(maxAge) * 1000 - age(headers));
  const expires = Date.parse(headers.get('expires') ?? '');
  if (Number.isNaN(expires)) return HOURLY;
  const date = Date.parse(headers.get('date') ?? '');
  return within(expires - (Number.isNaN(date) ? Date.now() : date));
}

function age(headers: Headers): number {
  const seconds = Number(headers.get('age') ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

function within(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, SHORTEST), LONGEST);
}

function reasonOf(error: unknown, timeout: number): string {
  if (error instanceof FetchProblem) return error.message;
  const { name, cause } = error as Error;
  if (name === 'TimeoutError' || name === 'AbortError') return `no answer in ${timeout} ms`;
  const code = (cause as NodeJS.ErrnoException | undefined)?.code;
  return code === undefined ? 'cannot be reached' : `cannot be reached (${code})`;
}
