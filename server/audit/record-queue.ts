import type { AuditKind } from './entry.js';
import { EntryMemory } from './entry-memory.js';
import type { AuditRecord } from './record.js';
import type { QueueConfig } from '../config/audit-config.js';
import type { AuditBackend, BatchPolicy } from './backend.js';
import type { AuditStats } from './sink.js';

type MutableCounts = { [K in AuditKind]: number };

const MEBI = 1024 * 1024;

/** Records that wait, bounded by number and length, with their memory, and the count of what became of them. */
export class RecordQueue {
  #waiting: AuditRecord[] = [];
  #length = 0;
  /** Length of those that wait. */
  #waitingLength = 0;
  #accepted = 0;
  #settled = 0;
  readonly #maxLength: number;
  readonly #written: MutableCounts = { access: 0, decision: 0 };
  readonly #dropped: MutableCounts = { access: 0, decision: 0 };
  readonly #failed: MutableCounts = { access: 0, decision: 0 };
  readonly #memory = new EntryMemory();

  constructor(
    private readonly config: QueueConfig,
    private readonly backend: Pick<AuditBackend, 'keepsFailed'>,
  ) {
    this.#maxLength = config.maxSizeMB * MEBI;
  }

  /** The bytes of a record that is added or dropped next. */
  encode(text: string): Buffer {
    return this.#memory.encode(text);
  }

  /** Waiting. */
  get size(): number {
    return this.#waiting.length;
  }

  /** So many found room so far. */
  get accepted(): number {
    return this.#accepted;
  }

  /** So many of those were written or given up: the oldest. */
  get settled(): number {
    return this.#settled;
  }

  /** Waiting, or taken and not settled. */
  get open(): number {
    return this.#accepted - this.#settled;
  }

  get isHalfFull(): boolean {
    return this.open * 2 > this.config.maxEntries || this.#length * 2 > this.#maxLength;
  }

  /** Returns false if the queue is full; the record is counted as dropped. An empty queue accepts any record. */
  add(record: AuditRecord): boolean {
    const isFull = this.open >= this.config.maxEntries || this.#length + record.json.length > this.#maxLength;
    if (isFull && this.open > 0) {
      this.drop(record);
      return false;
    }
    this.#waiting.push(record);
    this.#length += record.json.length;
    this.#waitingLength += record.json.length;
    this.#accepted += 1;
    return true;
  }

  drop(record: AuditRecord): void {
    this.#dropped[record.kind] += 1;
    this.#memory.free(record.json);
  }

  /** Whether the next batch has no room for more records. */
  hasFullBatch({ maxRecords, maxLength }: BatchPolicy): boolean {
    return this.#waiting.length >= maxRecords || this.#waitingLength >= maxLength;
  }

  /** The next batch. Every record of it is settled once. */
  take({ maxRecords, maxLength }: BatchPolicy): readonly AuditRecord[] {
    let count = 0;
    let length = 0;
    for (; count < this.#waiting.length && count < maxRecords; count++) {
      const next = (this.#waiting[count] as AuditRecord).json.length;
      if (count > 0 && length + next > maxLength) break;
      length += next;
    }
    this.#waitingLength -= length;
    return this.#waiting.splice(0, count);
  }

  settle(records: readonly AuditRecord[], outcome: 'written' | 'failed'): void {
    const counts = outcome === 'written' ? this.#written : this.#failed;
    for (const record of records) {
      counts[record.kind] += 1;
      this.#length -= record.json.length;
      if (outcome === 'failed' && this.backend.keepsFailed === true) this.#memory.abandon(record.json);
      else this.#memory.free(record.json);
    }
    this.#settled += records.length;
  }

  stats(): AuditStats {
    return {
      written: { ...this.#written },
      dropped: { ...this.#dropped },
      failed: { ...this.#failed },
      queued: this.open,
    };
  }
}
