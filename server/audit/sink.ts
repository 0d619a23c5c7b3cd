import type { AuditKind } from './entry.js';
import type { AuditRecord, EntryBytes } from './record.js';

/** Accepts audit records from the watcher, for a backend of this process or of the primary. */
export interface AuditSink {
  /** The bytes of a record that is put next. They are the record's until it is settled. */
  readonly encode: EntryBytes;
  /** Returns at once; what finds no room is dropped and counted. */
  readonly put: (record: AuditRecord) => void;
  /**
   * Puts a record and resolves when the backend has written it, without waiting for a full batch. Rejects if it was
   * dropped or could not be written.
   */
  readonly deliver: (record: AuditRecord) => Promise<void>;
  /** Resolves when there is room: a sender that waits for it loses nothing. */
  readonly ready: () => Promise<void>;
  /** Resolves when everything put so far was written, handed on or counted as failed. */
  readonly flush: () => Promise<void>;
  /** Flushes, then closes what is behind it; what is put later is dropped. Once is enough. */
  readonly close: () => Promise<void>;
  readonly stats: () => AuditStats;
}

/** What became of the records of one process, counted from its start. */
export interface AuditStats {
  /** Where they belong; at a worker: taken over by the primary. */
  readonly written: Counts;
  /** Refused, for there was no room. */
  readonly dropped: Counts;
  /** Tried and given up. */
  readonly failed: Counts;
  /** Waiting now. */
  readonly queued: number;
}

export type Counts = { readonly [K in AuditKind]: number };
