import type { LoadedTenant } from '../service/call.js';
import type { TenantLoader } from '../service/tenants.js';
import { RpcError } from '../service/rpc-error.js';
import { computeDigest, readTenantText } from './tenant-text.js';
import type { FetchedTenant, TenantSource } from './tenant-source.js';

/** How documents are kept. Times are in milliseconds. */
export interface TenantStoreOptions {
  /** How long a document is used before its source is asked again. */
  readonly maxAge: number;
  /** How much longer it is used while its source is away. */
  readonly maxStale: number;
  /** How long the source may take for one. */
  readonly timeout: number;
  /** The number of tenants that are kept, and their size in bytes. */
  readonly maxTenants: number;
  readonly maxBytes: number;
  /** Told of each document that is not valid, of each failure of the source, and of its end. */
  readonly tell: (event: TenantEvent) => void;
  /** Clock, by default `performance.now()`. */
  readonly now?: () => number;
}

export type TenantEvent =
  /** `bundle`: the hash of the policies that do not grant what it says; absent if it is not a document at all. */
  | { readonly kind: 'refused'; readonly tenant: string; readonly reason: string; readonly bundle?: string }
  | { readonly kind: 'failed'; readonly tenant: string; readonly reason: string; readonly isStale: boolean };

/** What became of requests to the source, and what is kept. */
export interface TenantCounts {
  readonly loaded: number;
  readonly unchanged: number;
  readonly missing: number;
  readonly refused: number;
  readonly failed: number;
  readonly tenants: number;
  readonly bytes: number;
}

/** Milliseconds for which a source is not asked about a tenant after a failure. */
const PAUSE = 1000;

/** How many tenants are loaded at once; requests that need another one fail. */
const MOST_LOADING = 512;

interface Entry {
  readonly version: string | undefined;
  readonly loaded: LoadedTenant;
  readonly bytes: number;
  /** When the source last said that this is its document. */
  confirmed: number;
  /** The source failed: it is not asked again before this. */
  pausedUntil: number;
}

/**
 * The documents of tenants, loaded when a request needs one. The least recently used ones make room for others. One
 * request to the source serves all calls that wait for a tenant.
 */
export class TenantStore implements TenantLoader {
  /** The least recently used one first. */
  readonly #entries = new Map<string, Entry>();
  readonly #loading = new Map<string, Promise<LoadedTenant>>();
  /** Tenants that could not be loaded, until when. */
  readonly #failed = new Map<string, number>();
  readonly #counts = { loaded: 0, unchanged: 0, missing: 0, refused: 0, failed: 0 };
  #bytes = 0;
  readonly #now: () => number;

  constructor(
    private readonly source: TenantSource,
    private readonly options: TenantStoreOptions,
  ) {
    this.#now = options.now ?? (() => performance.now());
  }

  load(tenant: string): LoadedTenant | Promise<LoadedTenant> {
    const entry = this.#entries.get(tenant);
    const now = this.#now();
    if (entry !== undefined) {
      this.#use(tenant, entry);
      if (now - entry.confirmed < this.options.maxAge) return entry.loaded;
      if (now < entry.pausedUntil) return this.#stale(tenant, entry);
    } else if (now < (this.#failed.get(tenant) ?? 0)) throw unavailable(tenant);
    return this.#loading.get(tenant) ?? this.#begin(tenant, entry);
  }

  counts(): TenantCounts {
    return { ...this.#counts, tenants: this.#entries.size, bytes: this.#bytes };
  }

  /** Counts a document that was loaded, and that an engine refuses. */
  refused(): void {
    this.#counts.refused += 1;
  }

  close(): Promise<void> {
    return this.source.close();
  }

  #begin(tenant: string, entry: Entry | undefined): Promise<LoadedTenant> {
    if (this.#loading.size >= MOST_LOADING) throw unavailable(tenant);
    const loading = this.#refresh(tenant, entry).finally(() => this.#loading.delete(tenant));
    this.#loading.set(tenant, loading);
    return loading;
  }

  async #refresh(tenant: string, entry: Entry | undefined): Promise<LoadedTenant> {
    const { timeout } = this.options;
    // A change after this moment is seen by the next refresh.
    const confirmed = this.#now();
    let fetched: FetchedTenant;
    try {
      fetched = await within(timeout, (signal) => this.source.fetch(tenant, entry?.version, signal));
    } catch (error) {
      return this.#fail(tenant, entry, error as Error);
    }
    this.#failed.delete(tenant);
    if (fetched.kind === 'unchanged' && entry !== undefined) {
      this.#counts.unchanged += 1;
      entry.confirmed = confirmed;
      entry.pausedUntil = 0;
      return entry.loaded;
    }
    return this.#keep(tenant, entry, fetched, confirmed);
  }

  #keep(tenant: string, before: Entry | undefined, fetched: FetchedTenant, confirmed: number): LoadedTenant {
    const { loaded, reason } = loadedFrom(fetched, before?.loaded);
    if (reason !== undefined) {
      this.#counts.refused += 1;
      if ('version' in fetched && fetched.version !== before?.version)
        this.options.tell({ kind: 'refused', tenant, reason });
    } else if (fetched.kind === 'missing') this.#counts.missing += 1;
    else this.#counts.loaded += 1;
    const entry: Entry = {
      version: 'version' in fetched && fetched.version !== '' ? fetched.version : undefined,
      loaded,
      bytes: countBytes(tenant, fetched),
      confirmed,
      pausedUntil: 0,
    };
    this.#drop(tenant);
    this.#entries.set(tenant, entry);
    this.#bytes += entry.bytes;
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.options.maxTenants && this.#bytes <= this.options.maxBytes) break;
      this.#drop(oldest);
    }
    return loaded;
  }

  #fail(tenant: string, entry: Entry | undefined, error: Error): LoadedTenant {
    this.#counts.failed += 1;
    const pausedUntil = this.#now() + PAUSE;
    if (entry !== undefined) entry.pausedUntil = pausedUntil;
    else {
      if (this.#failed.size >= MOST_LOADING) this.#failed.clear();
      this.#failed.set(tenant, pausedUntil);
    }
    const isStale = entry !== undefined && this.#isUsable(entry);
    this.options.tell({ kind: 'failed', tenant, reason: `${this.source.name}: ${formatReason(error)}`, isStale });
    if (!isStale) throw unavailable(tenant);
    return entry.loaded;
  }

  #stale(tenant: string, entry: Entry): LoadedTenant {
    if (!this.#isUsable(entry)) throw unavailable(tenant);
    return entry.loaded;
  }

  #isUsable({ confirmed }: Entry): boolean {
    return this.#now() - confirmed < this.options.maxAge + this.options.maxStale;
  }

  #use(tenant: string, entry: Entry): void {
    this.#entries.delete(tenant);
    this.#entries.set(tenant, entry);
  }

  #drop(tenant: string): void {
    this.#bytes -= this.#entries.get(tenant)?.bytes ?? 0;
    this.#entries.delete(tenant);
  }
}

function unavailable(tenant: string): RpcError {
  return new RpcError('unavailable', `the roles of the tenant \`${tenant}\` cannot be loaded`);
}

/** The same object for the same text, which engines have proved. */
function loadedFrom(
  fetched: FetchedTenant,
  before: LoadedTenant | undefined,
): { readonly loaded: LoadedTenant; readonly reason?: string } {
  switch (fetched.kind) {
    case 'unchanged':
    case 'missing':
      return { loaded: NO_ROLES };
    case 'refused':
      return { loaded: NO_ROLES, reason: fetched.reason };
    case 'fetched': {
      if (before?.digest === computeDigest(fetched.text)) return { loaded: before };
      const read = readTenantText(fetched.text);
      return 'reason' in read ? { loaded: NO_ROLES, reason: read.reason } : { loaded: read };
    }
  }
}

const NO_ROLES: LoadedTenant = { document: undefined, digest: '' };

/** What an entry takes, as measured: an object and what engines make of it are several times as long as the text. */
function countBytes(tenant: string, fetched: FetchedTenant): number {
  return 500 + 2 * tenant.length + (fetched.kind === 'fetched' ? 10 * fetched.text.length : 0);
}

/** Rejects when the time is over, also if the source does not listen to its signal. */
async function within<T>(milliseconds: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      const error = new Error(`no answer in ${milliseconds} ms`);
      controller.abort(error);
      reject(error);
    }, milliseconds);
  });
  try {
    return await Promise.race([work(controller.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

function formatReason({ message, cause }: Error): string {
  const reason = message || 'failed';
  return cause instanceof Error && cause.message !== '' ? `${reason}: ${cause.message}` : reason;
}
