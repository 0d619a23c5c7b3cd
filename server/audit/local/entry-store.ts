import sqlite from 'node-sqlite3-wasm';
import type { AuditKind } from '../entry.js';
import type { StoredRecord } from '../record.js';
import type { AuditPage, AuditQuery, PageEnd } from '../reader.js';

type Value = number | string;

/** So many entries are read at once. */
const PAGE = 100;

/** Audit entries in an SQLite database. Every method is one transaction and blocks while it runs. */
export class EntryStore {
  readonly #database: sqlite.Database;
  readonly #insert: sqlite.Statement;

  /** Throws if the file is not such a database or, if `isChecked`, is damaged anywhere. */
  constructor(path: string, isChecked: boolean) {
    this.#database = new sqlite.Database(path);
    try {
      this.#database.exec(SETUP);
      if (this.#database.get('PRAGMA journal_mode')?.['journal_mode'] !== 'wal')
        throw new Error('the write-ahead log cannot be used');
      if (isChecked) check(this.#database);
      this.#insert = this.#database.prepare(INSERT);
    } catch (error) {
      this.#database.close();
      throw error;
    }
  }

  /** All of them or, when it throws, none. */
  add(records: readonly StoredRecord[]): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      for (const { kind, callId, time, json } of records) this.#insert.run([KINDS[kind], callId, time, json]);
      this.#database.exec('COMMIT');
    } catch (error) {
      this.#rollBack();
      throw error;
    }
  }

  page(query: AuditQuery, after: PageEnd | undefined): AuditPage {
    const count = after?.count ?? 0;
    const limit = query.by === 'tail' ? Math.min(PAGE, query.count - count) : PAGE;
    const { where, order, values } = toSelection(query, after);
    const sql = `SELECT id, time, entry FROM entries WHERE kind = ? AND ${where} ORDER BY ${order} LIMIT ${limit}`;
    const rows = this.#database.all(sql, [KINDS[query.kind], ...values]) as {
      readonly id: number;
      readonly time: number;
      readonly entry: string;
    }[];
    const last = rows.at(-1);
    const read = count + rows.length;
    const isLast = last === undefined || rows.length < PAGE || (query.by === 'tail' && read >= query.count);
    return {
      entries: rows.map(({ entry }) => entry),
      next: isLast ? undefined : { time: last.time, id: last.id, count: read },
    };
  }

  /**
   * Deletes up to `limit` entries older than a moment and returns how many; fewer than `limit` means that none remain.
   */
  deleteOlder(time: number, limit: number): number {
    const sql = 'DELETE FROM entries WHERE id IN (SELECT id FROM entries WHERE time < ? ORDER BY time LIMIT ?)';
    const { changes } = this.#database.run(sql, [time, limit]);
    if (changes > 0) this.#database.exec('PRAGMA incremental_vacuum(250)');
    return changes;
  }

  /**
   * The same for entries of a chain, in the order in which they were written: entries are written a little later than
   * their times say, and a gap would look like an entry that somebody removed.
   */
  deleteFirstOlder(time: number, limit: number): number {
    const first = this.#database.all('SELECT id, time FROM entries ORDER BY id LIMIT ?', [limit]) as {
      readonly id: number;
      readonly time: number;
    }[];
    const kept = first.findIndex((entry) => entry.time >= time);
    const count = kept < 0 ? first.length : kept;
    if (count === 0) return 0;
    this.#database.run('DELETE FROM entries WHERE id <= ?', [(first[count - 1] as { readonly id: number }).id]);
    this.#database.exec('PRAGMA incremental_vacuum(250)');
    return count;
  }

  /** The entry that was written last. */
  last(): string | undefined {
    const row = this.#database.get('SELECT entry FROM entries ORDER BY id DESC LIMIT 1');
    return row === null ? undefined : (row as { readonly entry: string }).entry;
  }

  close(): void {
    this.#insert.finalize();
    this.#database.close();
  }

  /** An error of the disk may have ended the transaction already. */
  #rollBack(): void {
    if (this.#database.inTransaction) this.#database.exec('ROLLBACK');
  }
}

function check(database: sqlite.Database): void {
  const [result] = Object.values(database.get('PRAGMA quick_check(1)') ?? {});
  if (result !== 'ok') throw new Error(`the database is damaged: ${String(result)}`);
}

const KINDS: { readonly [K in AuditKind | 'chain']: number } = { access: 1, decision: 2, chain: 3 };

/**
 * A write-ahead log, because this build of SQLite never rolls a journal back: its file layer takes the reader's own
 * lock for a writer's, and so every journal for one in use. A process that was killed between two pages left half a
 * transaction behind. A write-ahead log needs no rollback: what follows its last whole transaction is ignored. The
 * index of the log is in memory, which SQLite allows to a connection that excludes all others.
 *
 * NORMAL waits for the disk at checkpoints only: when the machine itself fails, the last transactions may be missing,
 * but the file is whole.
 *
 * An entry of 50 resources fills ten pages of the default size, and each costs a frame of the log, so pages are four
 * times as large. A checkpoint still follows 4 MB. Databases of earlier releases keep their pages.
 */
const SETUP = `
PRAGMA locking_mode = EXCLUSIVE;
PRAGMA page_size = 16384;
PRAGMA auto_vacuum = INCREMENTAL;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
PRAGMA wal_autocheckpoint = 250;
CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, kind INTEGER NOT NULL, call_id TEXT NOT NULL, time INTEGER NOT NULL, entry TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS entries_time ON entries (time, id);
CREATE INDEX IF NOT EXISTS entries_call ON entries (call_id);
`;

/** The entry is bound as bytes, as this build of SQLite encodes strings character by character. */
const INSERT = 'INSERT INTO entries (kind, call_id, time, entry) VALUES (?, ?, ?, CAST(? AS TEXT))';

interface Selection {
  readonly where: string;
  readonly order: string;
  readonly values: readonly Value[];
}

function toSelection(query: AuditQuery, after: PageEnd | undefined): Selection {
  const rest = after === undefined ? [] : [after.time, after.id];
  switch (query.by) {
    case 'tail':
      return { where: after === undefined ? 'TRUE' : '(time, id) < (?, ?)', order: 'time DESC, id DESC', values: rest };
    case 'between': {
      const where = `time BETWEEN ? AND ?${after === undefined ? '' : ' AND (time, id) > (?, ?)'}`;
      return { where, order: 'time, id', values: [query.start, query.end, ...rest] };
    }
    case 'lookup':
      return {
        where: `call_id = ?${after === undefined ? '' : ' AND (time, id) > (?, ?)'}`,
        order: 'time, id',
        values: [query.callId, ...rest],
      };
  }
}
