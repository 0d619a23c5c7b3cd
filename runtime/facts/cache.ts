import type { LoadedRow } from './accept.js';
import type { PreparedSource } from './source.js';

/** The rows of one source that may be used again, by their key. The least recently used one goes first. */
export class RowCache {
  private readonly rows = new Map<string, LoadedRow>();
  /** When the latest keys without a row were asked for. */
  private readonly gone = new Map<string, number>();

  constructor(private readonly options: PreparedSource['cache']) {}

  /** A row that is young enough. */
  get(key: string, now: number): LoadedRow | undefined {
    return this.within(key, this.options.maxAge, now);
  }

  /** A row that may be used where the source fails. */
  getStale(key: string, now: number): LoadedRow | undefined {
    return this.within(key, this.options.maxStale, now);
  }

  has(key: string): boolean {
    return this.rows.has(key);
  }

  /** Keeps a row, unless a later request has returned another one. */
  add(key: string, row: LoadedRow): void {
    if (Math.max(this.rows.get(key)?.at ?? row.at, this.gone.get(key) ?? row.at) > row.at) return;
    this.gone.delete(key);
    this.rows.delete(key);
    this.rows.set(key, row);
    if (this.rows.size > this.options.maxEntries) this.rows.delete(this.rows.keys().next().value as string);
  }

  /** Forgets a row that a request has not found, unless a later one has. */
  delete(key: string, at: number): void {
    if ((this.rows.get(key)?.at ?? at) > at) return;
    this.rows.delete(key);
    // A request that began before may still return it.
    const latest = Math.max(at, this.gone.get(key) ?? at);
    this.gone.delete(key);
    this.gone.set(key, latest);
    if (this.gone.size > this.options.maxEntries) this.gone.delete(this.gone.keys().next().value as string);
  }

  clear(): void {
    this.rows.clear();
    this.gone.clear();
  }

  private within(key: string, age: number, now: number): LoadedRow | undefined {
    const row = this.rows.get(key);
    if (row === undefined || now - row.at >= age) return undefined;
    this.rows.delete(key);
    this.rows.set(key, row);
    return row;
  }
}
