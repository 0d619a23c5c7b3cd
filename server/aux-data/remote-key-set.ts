import { backOff, LONGEST_TIMER, spread } from '../backoff.js';
import type { KeySetConfig, KeySource as ConfiguredSource } from '../config/key-sets.js';
import { maskUrl } from '../config/mask.js';
import type { HttpResponse } from '../outgoing/http-client.js';
import { takeCredentials } from '../outgoing/basic-credentials.js';
import { type KeySet, parseKeySet } from './key-set.js';
import type { KeySetEvent, KeySource } from './key-source.js';

/** Pause after the first failure, in milliseconds; each one more doubles it. */
const FIRST_RETRY = 1000;
const LAST_RETRY = 300_000;
/**
 * A token with an unknown key makes the set be fetched no more often than this, in milliseconds: anybody can make up
 * such tokens.
 */
const UNASKED_PAUSE = 30_000;
/** How long a request waits for keys that are being fetched, in milliseconds. */
const PATIENCE = 2000;

/** What a remote set is made with beside its configuration; tests make time pass faster. */
export interface RemoteTimes {
  readonly firstRetry?: number;
  readonly unaskedPause?: number;
  readonly patience?: number;
  /** How long one attempt may take. */
  readonly timeout?: number;
  /** Clock, by default `performance.now()`. */
  readonly now?: () => number;
}

/**
 * A keyset that is fetched over HTTP (docs/spec/server.md#keysets): at the start, when it is due, and after failures,
 * with growing delays. It keeps the last good keys. Only tokens that need new keys wait for it, and only briefly.
 */
export class RemoteKeySet implements KeySource {
  readonly id: string;
  #keySet: KeySet | undefined;
  #fetching: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  /** When the last attempt began. */
  #begun = 0;
  #isClosed = false;
  readonly #now: () => number;

  constructor(
    private readonly config: KeySetConfig,
    private readonly source: Extract<ConfiguredSource, { readonly kind: 'remote' }>,
    private readonly tell: (event: KeySetEvent) => void,
    private readonly times: RemoteTimes = {},
  ) {
    this.id = config.id;
    this.#now = times.now ?? (() => performance.now());
    void this.#refresh();
  }

  current(): KeySet | undefined | Promise<KeySet | undefined> {
    // Only the very first attempt is waited for: later ones follow a failure.
    if (this.#keySet !== undefined || this.#fetching === undefined || this.#failures > 0) return this.#keySet;
    return this.#wait(this.#fetching).then(() => this.#keySet);
  }

  newer(): Promise<KeySet | undefined> | undefined {
    const pause = this.times.unaskedPause ?? UNASKED_PAUSE;
    if (this.#fetching === undefined && this.#now() - this.#begun < pause) return undefined;
    return this.#wait(this.#refresh()).then((isNew) => (isNew ? this.#keySet : undefined));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Fetches, or joins the current attempt. Resolves to true if it returned keys. Never rejects. */
  #refresh(): Promise<boolean> {
    this.#fetching ??= this.#attempt().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #attempt(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#begun = this.#now();
    try {
      const { text, freshFor } = await fetchKeys(this.source.url, this.times.timeout);
      const keySet = parseKeySet(text, this.config);
      if (keySet.unusable !== undefined) throw new Error(keySet.unusable);
      this.#keySet = keySet;
      if (this.#failures > 0) this.tell({ kind: 'fetched', id: this.id });
      this.#failures = 0;
      this.#schedule(this.source.refreshInterval ?? freshFor);
      return true;
    } catch (error) {
      this.#failures += 1;
      const reason = `${maskUrl(this.source.url)}: ${(error as Error).message}`;
      this.tell({ kind: 'failed', id: this.id, reason, hasKeys: this.#keySet !== undefined });
      this.#schedule(spread(backOff(this.times.firstRetry ?? FIRST_RETRY, this.#failures, LAST_RETRY)));
      return false;
    }
  }

  #schedule(delay: number): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.#refresh(), Math.min(delay, LONGEST_TIMER)).unref();
  }

  #wait(fetching: Promise<boolean>): Promise<boolean> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve(false), this.times.patience ?? PATIENCE);
      void fetching.then((isNew) => {
        clearTimeout(timer);
        resolve(isNew);
      });
    });
  }
}

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

/**
 * Gets the text of a keyset. Redirects are followed while the scheme stays, and credentials of the URL stay with its
 * origin. Rejects with a reason that is fit for the log: no credentials, nothing of the body.
 */
export async function fetchKeys(text: string, timeout = TIMEOUT): Promise<FetchedKeys> {
  const url = new URL(text);
  const credentials = takeCredentials(url);
  // Only servers with remote keys load it. An attempt is rare, so its connection is not kept.
  const { HttpClient, limitsWithin } = await import('../outgoing/http-client.js');
  const client = new HttpClient({ origin: url.origin, limits: limitsWithin(timeout, LARGEST) });
  try {
    const headers = { accept: 'application/jwk-set+json, application/json' };
    const { status, headers: answered, body } = await client.send({ method: 'GET', url, headers, credentials });
    if (status !== 200) throw new Error(`answered with status ${status}`);
    return { text: body.toString('utf8'), freshFor: freshFor(answered) };
  } finally {
    await client.close();
  }
}

/** Time in milliseconds: what an answer says is kept within reason. */
const SHORTEST = 30_000;
const LONGEST = 24 * 3_600_000;
const HOURLY = 3_600_000;

/** `Cache-Control` counts more than `Expires`; without both, an hour (docs/spec/server.md#keysets). */
function freshFor(headers: HttpResponse['headers']): number {
  const control = headers['cache-control']?.toLowerCase() ?? '';
  const maxAge = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,10})/.exec(control)?.[1];
  if (/(?:^|[\s,])no-(?:store|cache)(?:$|[\s,=])/.test(control)) return SHORTEST;
  if (maxAge !== undefined) return within(Number(maxAge) * 1000 - age(headers));
  const expires = Date.parse(headers['expires'] ?? '');
  if (Number.isNaN(expires)) return HOURLY;
  const date = Date.parse(headers['date'] ?? '');
  return within(expires - (Number.isNaN(date) ? Date.now() : date));
}

function age(headers: HttpResponse['headers']): number {
  const seconds = Number(headers['age'] ?? 0);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : 0;
}

function within(milliseconds: number): number {
  return Math.min(Math.max(milliseconds, SHORTEST), LONGEST);
}
