import { type KeySetConfig, type KeySource as ConfiguredSource, withoutCredentials } from '../config/key-sets.js';
import { fetchKeys } from './fetch-keys.js';
import { type KeySet, keySetOf } from './key-set.js';
import type { KeySetEvent, KeySource } from './key-source.js';

/** After the first failure, in milliseconds; each one more doubles it. */
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
}

/**
 * A keyset that is fetched over HTTP (docs/spec/server.md#keysets): at the start, then when it is due, and again after
 * failures, ever more rarely. The last good keys stay in force. Nothing waits for it but tokens that need it, and they
 * not for long.
 */
export class RemoteKeySet implements KeySource {
  readonly id: string;
  #keySet: KeySet | undefined;
  #fetching: Promise<boolean> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failures = 0;
  /** When the last attempt began, by `performance.now()`. */
  #begun = 0;
  #isClosed = false;

  constructor(
    private readonly config: KeySetConfig,
    private readonly source: Extract<ConfiguredSource, { readonly kind: 'remote' }>,
    private readonly tell: (event: KeySetEvent) => void,
    private readonly times: RemoteTimes = {},
  ) {
    this.id = config.id;
    void this.#refresh();
  }

  current(): KeySet | undefined | Promise<KeySet | undefined> {
    // Only the very first attempt is waited for: later ones follow a failure.
    if (this.#keySet !== undefined || this.#fetching === undefined || this.#failures > 0) return this.#keySet;
    return this.#wait(this.#fetching).then(() => this.#keySet);
  }

  newer(): Promise<KeySet | undefined> | undefined {
    const pause = this.times.unaskedPause ?? UNASKED_PAUSE;
    if (this.#fetching === undefined && performance.now() - this.#begun < pause) return undefined;
    return this.#wait(this.#refresh()).then((isNew) => (isNew ? this.#keySet : undefined));
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
  }

  /** Fetches, or joins the attempt under way. True when it has brought keys. Never rejects. */
  #refresh(): Promise<boolean> {
    this.#fetching ??= this.#attempt().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #attempt(): Promise<boolean> {
    clearTimeout(this.#timer);
    this.#begun = performance.now();
    try {
      const { text, freshFor } = await fetchKeys(this.source.url, this.times.timeout);
      const keySet = keySetOf(text, this.config);
      if (keySet.unusable !== undefined) throw new Error(keySet.unusable);
      this.#keySet = keySet;
      if (this.#failures > 0) this.tell({ kind: 'fetched', id: this.id });
      this.#failures = 0;
      this.#schedule(this.source.refreshInterval ?? freshFor);
      return true;
    } catch (error) {
      this.#failures += 1;
      const reason = `${withoutCredentials(this.source.url)}: ${(error as Error).message}`;
      this.tell({ kind: 'failed', id: this.id, reason, hasKeys: this.#keySet !== undefined });
      this.#schedule(this.#retryDelay());
      return false;
    }
  }

  /** Servers that start together do not ask again together. */
  #retryDelay(): number {
    const longest = Math.min(
      (this.times.firstRetry ?? FIRST_RETRY) * 2 ** Math.min(this.#failures - 1, 20),
      LAST_RETRY,
    );
    return longest * (0.5 + Math.random() / 2);
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

/** What a timer of the platform can hold, in milliseconds. */
const LONGEST_TIMER = 2 ** 31 - 1;
