import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as breathe, setTimeout as wait } from 'node:timers/promises';
import { ConfigError } from '../../config/config-error.js';
import type { LocalAuditConfig } from '../../config/audit-config.js';
import type { AuditBackend, OnAuditProblem, Written } from '../backend.js';
import { RETRY_DELAYS } from '../file/line-writer.js';
import type { StoredRecord } from '../record.js';
import { EntryStore } from './entry-store.js';
import { takeOwnership } from './owner-file.js';
import { DATABASE } from './stored-entries.js';

const MEBI = 1024 * 1024;
/** Entries deleted without a pause. */
const DELETED_AT_ONCE = 2000;

export interface LocalBackendOptions {
  /** Pauses between attempts, in milliseconds. */
  readonly delays?: readonly number[];
  /** Whether entries form a chain, and may only expire from its beginning. */
  readonly isChained?: boolean;
}

/**
 * An SQLite database in a folder that this process owns (docs/spec/server.md#audit-backends). Rejects with a
 * ConfigError when it cannot have it. A damaged database is moved aside, and said.
 */
export async function openLocalBackend(
  config: LocalAuditConfig,
  onProblem: OnAuditProblem,
  { delays = RETRY_DELAYS, isChained = false }: LocalBackendOptions = {},
): Promise<AuditBackend<StoredRecord>> {
  const ownership = takeOwnership(config.storagePath);
  let store: EntryStore;
  try {
    store = openStore(join(config.storagePath, DATABASE), ownership.machineFailed, onProblem);
  } catch (error) {
    ownership.giveUp();
    throw error;
  }
  const { bufferSize, maxBatchSize, flushInterval } = config.advanced;
  const batch = {
    minRecords: maxBatchSize,
    maxWait: flushInterval,
    maxRecords: maxBatchSize * bufferSize,
    maxLength: 4 * MEBI,
  };
  const attempts = new Attempts(delays);
  const last = store.last();
  const stopDeleting = deleteNowAndThen(store, config, isChained, onProblem);
  const close = async (): Promise<void> => {
    await stopDeleting();
    store.close();
    ownership.giveUp();
  };
  return {
    batch,
    write: (records) => attempts.write(store, records),
    close,
    reader: { page: async (query, after) => store.page(query, after) },
    closeTimeout: undefined,
    last: async () => last,
  };
}

function openStore(path: string, machineFailed: boolean, onProblem: OnAuditProblem): EntryStore {
  // Left behind by a process that was killed; this process owns the folder.
  rmSync(`${path}.lock`, { recursive: true, force: true });
  try {
    const store = new EntryStore(path, machineFailed || hasJournal(path));
    rmSync(`${path}-journal`, { force: true });
    return store;
  } catch (error) {
    const { message } = error as Error;
    if (!DAMAGE.test(message))
      throw new ConfigError(`the audit database \`${path}\` cannot be opened: ${message}`, 'audit.local.storagePath');
    const aside = `${path}.damaged-${Date.now()}`;
    renameSync(path, aside);
    if (existsSync(`${path}-wal`)) renameSync(`${path}-wal`, `${aside}-wal`);
    rmSync(`${path}-journal`, { force: true });
    rmSync(`${path}.lock`, { recursive: true, force: true });
    onProblem(`the audit database was damaged and is now \`${aside}\`: ${message}`, error as Error);
    return new EntryStore(path, false);
  }
}

/**
 * Whether a process was killed while it wrote without a write-ahead log: when it made the database, or of an earlier
 * release.
 */
function hasJournal(path: string): boolean {
  return (statSync(`${path}-journal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/** Messages of SQLite, or of our own check, about a damaged file. */
const DAMAGE = /damaged|malformed|not a database/;

/** Writes in transactions, and tries again what fails, as LineWriter does. */
class Attempts {
  #isFailing = false;

  constructor(private readonly delays: readonly number[]) {}

  async write(store: EntryStore, records: readonly StoredRecord[]): Promise<Written> {
    const delays = this.#isFailing ? [] : this.delays;
    for (let failures = 0; ; failures++) {
      try {
        store.add(records);
        this.#isFailing = false;
        return { written: records.length, error: undefined };
      } catch (error) {
        const delay = delays[failures];
        if (delay === undefined) {
          this.#isFailing = true;
          return { written: 0, error: error as Error };
        }
        await wait(delay);
      }
    }
  }
}

/** Deletes expired entries at start and every `gcInterval`, in small batches. Returns a function that stops it. */
function deleteNowAndThen(
  store: EntryStore,
  config: LocalAuditConfig,
  isChained: boolean,
  onProblem: OnAuditProblem,
): () => Promise<void> {
  const deleteSome = (time: number): number =>
    isChained ? store.deleteFirstOlder(time, DELETED_AT_ONCE) : store.deleteOlder(time, DELETED_AT_ONCE);
  let stopped = false;
  const deleteExpired = async (): Promise<void> => {
    try {
      const oldest = Date.now() - config.retentionPeriod;
      while (!stopped && deleteSome(oldest) === DELETED_AT_ONCE) await breathe();
    } catch (error) {
      onProblem(`expired audit entries could not be deleted: ${(error as Error).message}`, error as Error);
    }
  };
  let running = deleteExpired();
  const { gcInterval } = config.advanced;
  const deleteNext = (): void => {
    running = running.then(deleteExpired);
  };
  const timer = gcInterval === 0 ? undefined : setInterval(deleteNext, gcInterval);
  timer?.unref();
  return () => {
    stopped = true;
    clearInterval(timer);
    return running;
  };
}
