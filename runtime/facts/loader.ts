import { type AcceptedRow, acceptRows, type FailureReason, type LoadedRow } from './accept.js';
import { RowCache } from './cache.js';
import type { RowLock } from './row-lock.js';
import type { PreparedSource, Wanted } from './source.js';

/** How rows are loaded for one decision. */
export interface LoadOptions {
  readonly tx: unknown;
  readonly signal: AbortSignal | undefined;
  /** When the decision has to be made, in milliseconds since 1970. */
  readonly until: number;
  /** Whether rows that are kept are not good enough. */
  readonly isFresh: boolean;
  /** How the rows are locked. */
  readonly lock?: RowLock | undefined;
  /** The header `authorization` of the caller, for sources that forward it. */
  readonly authorization?: string | undefined;
}

/** How many calls of a source may be under way, and how many more may wait for one of them to end. */
export interface CallBounds {
  readonly atOnce: number;
  readonly waiting: number;
}

/** What became of a call of a source. */
export interface SourceCall {
  readonly keys: number;
  /** Milliseconds since it was wanted. */
  readonly duration: number;
  /** How many keys have a row. */
  readonly found: number;
  /** The reasons why keys have none, other than that there is none. */
  readonly failures: readonly FailureReason[];
}

/** A call of a source whose rows several decisions may wait for. */
interface SharedCall {
  readonly keys: readonly string[];
  readonly rows: Promise<ReadonlyMap<string, LoadedRow>>;
  readonly controller: AbortController;
  /** When it began, in milliseconds since 1970. */
  readonly at: number;
  /** Those that wait, or gave up for another reason than that they were aborted. */
  waiters: number;
}

const BOUNDS: CallBounds = { atOnce: 512, waiting: 0 };
/** How long a key whose request failed is not asked for again, in milliseconds. */
const PAUSE = 1000;

/** Asks one source, and keeps what it returns as long as it allows. */
export class Loader {
  private readonly cache: RowCache | undefined;
  private readonly pausedUntil = new Map<string, number>();
  private readonly waiting = new Map<string, SharedCall>();
  private calls = 0;
  /** When somebody asked for the time before. */
  private before = 0;
  /** Calls that wait for another one to end. */
  private readonly queue = new Set<() => void>();
  /** What rows are asked for. */
  private wanted: Wanted;
  /** The attributes that decisions read; undefined: all. */
  private read: Set<string> | undefined;

  /** @param tell told of each call. */
  constructor(
    readonly source: PreparedSource,
    private readonly clock: () => number,
    private readonly bounds = BOUNDS,
    private readonly tell?: (call: SourceCall) => void,
  ) {
    this.wanted = source.wanted;
    const { maxAge, maxStale } = source.cache;
    if (maxAge > 0 || maxStale > 0) this.cache = new RowCache(source.cache);
  }

  /** Whether decisions may read an attribute. What none of them reads is not asked for. */
  isRead(attribute: string): boolean {
    return this.read === undefined || this.read.has(attribute);
  }

  /** Adds attributes that decisions read; the first ones in place of all that the source provides. */
  addRead(attributes: readonly string[]): void {
    const before = this.read?.size ?? -1;
    this.read = new Set([...(this.read ?? []), ...attributes]);
    if (this.read.size === before) return;
    const { facts, wanted, keyField } = this.source;
    const names = wanted.names.filter((name) => !facts.has(name) || this.isRead(name) || this.isSelector(name));
    this.wanted = { names, select: Object.fromEntries([keyField, ...names].map((name) => [name, true])) };
    // Of rows that were asked for before, not all is known.
    this.cache?.clear();
    this.waiting.clear();
  }

  private isSelector(attribute: string): boolean {
    return [...this.source.selects.values()].includes(attribute);
  }

  /** Milliseconds since 1970. If the clock was set back, it is not known how old anything is: nothing is kept. */
  private time(): number {
    const now = this.clock();
    if (now < this.before) {
      this.cache?.clear();
      this.pausedUntil.clear();
      this.waiting.clear();
    }
    this.before = now;
    return now;
  }

  /** A row that is kept, and young enough. */
  kept(key: string, { tx, isFresh }: Pick<LoadOptions, 'tx' | 'isFresh'>): LoadedRow | undefined {
    // Others may not see what a transaction sees, nor the other way round.
    return tx === undefined && !isFresh ? this.cache?.get(key, this.time()) : undefined;
  }

  /** The rows of some keys, each of which is in the result. Never rejects. */
  async load(keys: readonly string[], options: LoadOptions): Promise<ReadonlyMap<string, LoadedRow>> {
    const isShared = this.cache !== undefined && options.tx === undefined && !options.isFresh;
    return isShared ? this.loadShared(keys, options) : this.loadAlone(keys, options);
  }

  private async loadAlone(keys: readonly string[], options: LoadOptions): Promise<ReadonlyMap<string, LoadedRow>> {
    const loaded = await Promise.all(this.chunks(keys).map((chunk) => this.ask(chunk, options)));
    return new Map(loaded.flatMap((rows) => [...rows]));
  }

  /**
   * One request serves all decisions that wait for a key, if it began so late that its row may be used. It ends when all of
   * them are aborted.
   */
  private async loadShared(keys: readonly string[], options: LoadOptions): Promise<ReadonlyMap<string, LoadedRow>> {
    if (options.signal?.aborted === true) return this.allFailed(keys, 'aborted');
    const found = new Map<string, LoadedRow>();
    const calls = new Map<string, SharedCall>();
    const asked: string[] = [];
    for (const key of keys) {
      const kept = this.kept(key, options);
      const underWay = this.waiting.get(key);
      if (kept !== undefined) found.set(key, kept);
      else if (underWay !== undefined && this.time() - underWay.at < this.source.cache.maxAge) calls.set(key, underWay);
      else if (this.time() < (this.pausedUntil.get(key) ?? 0)) found.set(key, this.failed(key, 'paused'));
      else asked.push(key);
    }
    for (const chunk of this.chunks(asked)) {
      const call = this.share(chunk, options);
      for (const key of chunk) calls.set(key, call);
    }
    const joined = new Set(calls.values());
    for (const call of joined) call.waiters += 1;
    const loading = [...calls].map(async ([key, call]) => found.set(key, (await call.rows).get(key) as LoadedRow));
    // At once, so that nobody joins a call that is given up.
    const leave = (): void => {
      for (const call of joined) this.leave(call);
    };
    const reason = await within(Promise.all(loading), options, this.time(), leave);
    // Later rows are not of this decision.
    return new Map(keys.map((key) => [key, found.get(key) ?? this.failed(key, reason ?? 'failed')]));
  }

  private chunks(keys: readonly string[]): readonly (readonly string[])[] {
    const { maxKeys } = this.source;
    return Array.from({ length: Math.ceil(keys.length / maxKeys) }, (_, index) =>
      keys.slice(index * maxKeys, (index + 1) * maxKeys),
    );
  }

  private share(keys: readonly string[], options: LoadOptions): SharedCall {
    const controller = new AbortController();
    const shared = { ...options, signal: controller.signal, until: Number.POSITIVE_INFINITY };
    const call: SharedCall = { keys, rows: this.ask(keys, shared), controller, at: this.time(), waiters: 0 };
    for (const key of keys) this.waiting.set(key, call);
    call.rows.then(() => this.forget(call));
    return call;
  }

  /** One that waited is aborted; one that waits no longer for another reason leaves the request to fill the cache. */
  private leave(call: SharedCall): void {
    call.waiters -= 1;
    if (call.waiters > 0) return;
    this.forget(call);
    call.controller.abort();
  }

  /** Lets the keys of a call be asked for anew. */
  private forget(call: SharedCall): void {
    for (const key of call.keys) if (this.waiting.get(key) === call) this.waiting.delete(key);
  }

  private async ask(keys: readonly string[], options: LoadOptions): Promise<ReadonlyMap<string, LoadedRow>> {
    const at = this.time();
    const rows = await this.askedRows(keys, at, options);
    if (this.tell !== undefined) {
      const loaded = [...rows.values()].filter(({ stale }) => stale !== true).map(({ row }) => row);
      const failures = loaded.flatMap((row) => (typeof row === 'string' ? row : []));
      this.tell({
        keys: keys.length,
        duration: this.time() - at,
        found: loaded.length - failures.length,
        failures: failures.filter((row): row is FailureReason => row !== 'no row'),
      });
    }
    return rows;
  }

  private async askedRows(
    keys: readonly string[],
    at: number,
    options: LoadOptions,
  ): Promise<ReadonlyMap<string, LoadedRow>> {
    if (options.until <= at) return this.allFailed(keys, 'deadline', at);
    if (this.calls >= this.bounds.atOnce && this.queue.size >= this.bounds.waiting) return this.allFailed(keys, 'busy');
    const { wanted } = this;
    const answer = await this.answer(keys, at, wanted, options);
    if ('reason' in answer) return this.allFailed(keys, answer.reason, at);
    return this.accepted(answer.rows, keys, at, wanted, options);
  }

  /** Calls the source. Settles at the deadline, or when the caller no longer waits. */
  private answer(
    keys: readonly string[],
    at: number,
    wanted: Wanted,
    options: LoadOptions,
  ): Promise<{ readonly rows: unknown } | { readonly reason: FailureReason }> {
    const { source } = this;
    const controller = new AbortController();
    return new Promise((resolve) => {
      let isAsked = false;
      let hasEnded = false;
      const end = (result: { readonly rows: unknown } | { readonly reason: FailureReason }): void => {
        if (hasEnded) return;
        hasEnded = true;
        clearTimeout(timer);
        if (isAsked) this.release();
        else this.queue.delete(load);
        options.signal?.removeEventListener('abort', abort);
        resolve(result);
      };
      const give = (reason: FailureReason): void => {
        end({ reason });
        controller.abort();
      };
      const abort = (): void => give('aborted');
      // Not unref'ed: a process that waits for nothing else would end without an answer.
      const timer = setTimeout(() => give('deadline'), Math.max(0, Math.min(source.deadline, options.until - at)));
      const load = (): void => {
        this.calls += 1;
        isAsked = true;
        let loading: unknown;
        try {
          loading = source.load([...keys], {
            wanted,
            tx: options.tx,
            lock: options.lock,
            signal: controller.signal,
            ...(source.forwards && { authorization: options.authorization }),
          });
        } catch {
          end({ reason: 'failed' });
          return;
        }
        Promise.resolve(loading).then(
          (rows) => {
            // Too late for this decision, but not for the next one.
            if (controller.signal.aborted) this.accepted(rows, keys, at, wanted, options);
            else end({ rows });
          },
          () => end({ reason: 'failed' }),
        );
      };
      if (options.signal?.aborted === true) {
        abort();
        return;
      }
      options.signal?.addEventListener('abort', abort, { once: true });
      if (this.calls < this.bounds.atOnce) load();
      else this.queue.add(load);
    });
  }

  /** Ends a call, so that the next one may begin. */
  private release(): void {
    this.calls -= 1;
    const [next] = this.queue;
    if (next === undefined) return;
    this.queue.delete(next);
    next();
  }

  private accepted(
    answer: unknown,
    keys: readonly string[],
    at: number,
    wanted: Wanted,
    { tx }: LoadOptions,
  ): ReadonlyMap<string, LoadedRow> {
    let rows: ReadonlyMap<string, AcceptedRow>;
    try {
      rows = acceptRows(answer, keys, this.source, wanted.names);
    } catch {
      // A trap of a proxy.
      return this.allFailed(keys, 'shape', at);
    }
    // A request that began before the clock was set back is of unknown age.
    const isKept = tx === undefined && at <= this.time() && wanted === this.wanted;
    return new Map(
      [...rows].map(([key, row]) => {
        if (isKept && row === 'no row') this.cache?.delete(key, at);
        if (isKept && typeof row !== 'string') {
          this.pausedUntil.delete(key);
          this.cache?.add(key, { row, at });
        }
        return [key, { row, at }];
      }),
    );
  }

  private allFailed(keys: readonly string[], reason: FailureReason, at = this.time()): ReadonlyMap<string, LoadedRow> {
    if (this.cache !== undefined && (reason === 'failed' || reason === 'deadline'))
      for (const key of keys) this.pause(key, at);
    return new Map(keys.map((key) => [key, this.failed(key, reason)]));
  }

  private pause(key: string, at: number): void {
    // Only the latest failures: this must not grow with the keys of callers.
    if (this.pausedUntil.size >= this.source.cache.maxEntries)
      this.pausedUntil.delete(this.pausedUntil.keys().next().value as string);
    this.pausedUntil.set(key, at + PAUSE);
  }

  /** What was returned before, if it may be used, or why there is no row. */
  private failed(key: string, reason: FailureReason): LoadedRow {
    const at = this.time();
    if (reason === 'aborted' || this.cache === undefined) return { row: reason, at };
    const stale = this.cache.getStale(key, at);
    if (stale !== undefined) return { ...stale, stale: true };
    return { row: this.cache.has(key) ? 'stale' : reason, at };
  }
}

/**
 * Waits until something is done, the decision has to be made, or nobody waits for it; returns why it is not done.
 * @param leave called when nobody waits for it.
 */
function within(
  done: Promise<unknown>,
  { signal, until }: LoadOptions,
  now: number,
  leave: () => void,
): Promise<FailureReason | undefined> {
  return new Promise((resolve) => {
    const end = (reason?: FailureReason): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      resolve(reason);
    };
    const abort = (): void => {
      leave();
      end('aborted');
    };
    const timer = setTimeout(() => end('deadline'), Math.max(0, until - now));
    signal?.addEventListener('abort', abort, { once: true });
    done.then(
      () => end(),
      () => end('failed'),
    );
  });
}
