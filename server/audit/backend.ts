import type { AuditReader } from './reader.js';
import type { AuditRecord, StoredRecord } from './record.js';

/** Where audit records are kept (docs/spec/server.md#audit-backends). */
export interface AuditBackend<R extends StoredRecord = AuditRecord> {
  readonly batch: BatchPolicy;
  /**
   * Writes records in order, trying again within bounds what can be tried again. Does not reject: of what is not
   * `written`, `error` says why. Nothing reads the records afterwards, as their memory is used again.
   */
  readonly write: (records: readonly R[]) => Promise<Written>;
  /** Whether its client may still read records that it gave up. Absent: it does not. */
  readonly keepsFailed?: boolean;
  /** Closes the backend after the last write. */
  readonly close: () => Promise<void>;
  /** Undefined: it cannot be queried. */
  readonly reader: AuditReader | undefined;
  /** How long closing waits for records that are not written yet, in milliseconds; undefined: until each was tried. */
  readonly closeTimeout: number | undefined;
  /** The entry that was written last, before the start, as JSON. Absent: the backend does not read its entries. */
  readonly last?: () => Promise<string | undefined>;
}

/** How records are put together for a backend. */
export interface BatchPolicy {
  /** So many are written at once. */
  readonly minRecords: number;
  /** Fewer are written after so long, in milliseconds. */
  readonly maxWait: number;
  readonly maxRecords: number;
  /** Limit in bytes of JSON; a longer record is a batch on its own. */
  readonly maxLength: number;
  /** So many batches may be under way at a time. Absent: one, and so records are written in their order. */
  readonly concurrent?: number;
}

export interface Written {
  /** So many from the front of the batch are where they belong. */
  readonly written: number;
  /**
   * So many of these have reached the backend of the server; absent: all. The others another process has counted as
   * lost.
   */
  readonly delivered?: number;
  /**
   * So many after these are lost for a reason of their own, and the others are to be written again; absent: all others
   * are lost.
   */
  readonly lost?: number;
  /** Undefined: all of them are. */
  readonly error: Error | undefined;
}

/**
 * Backends without a reason to wait. A write ends in a later turn of the event loop, and under full load a turn takes as
 * long as all calls that came meanwhile: a batch has room for their entries.
 */
export const AT_ONCE: BatchPolicy = { minRecords: 1, maxWait: 0, maxRecords: 16_384, maxLength: 16 * 1024 * 1024 };

/** Told of what goes wrong and cannot be told to a caller: to be logged. */
export type OnAuditProblem = (message: string, error?: Error) => void;
