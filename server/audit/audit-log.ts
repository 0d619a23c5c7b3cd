import type { AuditKind } from './entry.js';
import type { AuditRecord, StoredRecord } from './record.js';
import type { AuditBackendName, AuditConfig, AuditDelivery, ChainConfig, QueueConfig } from '../config/audit-config.js';
import { ConfigError } from '../config/config-error.js';
import { BackendSink } from './backend-sink.js';
import { AT_ONCE, type AuditBackend, type OnAuditProblem } from './backend.js';
import { openFileBackend } from './file/file-backend.js';
import type { AuditPage, AuditQuery, AuditReader, PageEnd } from './reader.js';
import type { AuditSink, AuditStats } from './sink.js';

/** The audit log of a process. */
export interface AuditLog {
  readonly sink: AuditSink;
  /** Undefined: the backend cannot be queried. What was put is read, be it written yet or not. */
  readonly reader: AuditReader | undefined;
  /** What became of entries in this process. Summed over all processes of a server, every entry counts once. */
  readonly counts: () => readonly AuditCount[];
}

/** Counts of one kind of entries, since the start. */
export interface AuditCount {
  readonly kind: AuditKind;
  readonly written: number;
  /** Entries dropped for want of room in the queue. */
  readonly dropped: number;
  readonly failed: number;
}

/**
 * Opens the audit log of the process that owns the backend: the only process, or the primary. Undefined if auditing is
 * off. Rejects with a ConfigError. Closing the sink closes the backend.
 */
export async function openAuditLog(config: AuditConfig, onProblem: OnAuditProblem): Promise<AuditLog | undefined> {
  if (!config.enabled) return undefined;
  if (config.backend === undefined) throw new ConfigError('must be set when auditing is enabled', 'audit.backend');
  const backend = await BACKENDS[config.backend](config, onProblem);
  return logOver(
    config.chain.enabled ? await chained(backend, config.chain, onProblem) : backend,
    config.queue,
    onProblem,
  );
}

async function chained(
  backend: AuditBackend<StoredRecord>,
  config: ChainConfig,
  onProblem: OnAuditProblem,
): Promise<AuditBackend> {
  const { chainedBackend } = await import('./chain/chained-backend.js');
  try {
    return await chainedBackend(backend, config, onProblem);
  } catch (error) {
    await backend.close();
    throw error;
  }
}

/** What the primary process does for a worker: the two ends of a channel between them. */
export interface AuditPrimary {
  /**
   * Resolves when the records are taken over, which waits for room, and with `before_reply` until the backend has them.
   * Gives how many of them, from the front, have got where replies want them.
   */
  readonly take: (records: readonly AuditRecord[]) => Promise<number>;
  /** Rejects when the backend cannot be queried. */
  readonly page: (query: AuditQuery, after: PageEnd | undefined) => Promise<AuditPage>;
}

/** The end at the primary, over its own log. */
export function auditPrimary(
  { sink, reader }: Pick<AuditLog, 'sink' | 'reader'>,
  delivery: AuditDelivery,
): AuditPrimary {
  return {
    take: async (records) => {
      const deliveries: Promise<boolean>[] = [];
      for (const record of records) {
        await sink.ready();
        if (delivery === 'after_reply') sink.put(record);
        else
          deliveries.push(
            sink.deliver(record).then(
              () => true,
              () => false,
            ),
          );
      }
      const firstLost = (await Promise.all(deliveries)).indexOf(false);
      return firstLost < 0 ? records.length : firstLost;
    },
    page: async (query, after) => {
      if (reader === undefined) throw new Error('the audit backend cannot be queried');
      return reader.page(query, after);
    },
  };
}

/** The log of a worker: what is put is handed to the primary, and closing resolves when that has taken all of it. */
export function workerAuditLog(config: AuditConfig, primary: AuditPrimary, onProblem: OnAuditProblem): AuditLog {
  const isQueried = config.backend === 'local';
  const log = logOver(remoteBackend(primary, isQueried), config.queue, onProblem);
  // What the primary took over it counts itself.
  return { ...log, counts: () => log.counts().map((count) => ({ ...count, written: 0 })) };
}

function logOver(backend: AuditBackend, queue: QueueConfig, onProblem: OnAuditProblem): AuditLog {
  const sink = new BackendSink(backend, queue, onProblem);
  const counts = (): readonly AuditCount[] => listCounts(sink.stats());
  const { reader } = backend;
  if (reader === undefined) return { sink, reader, counts };
  const page = async (query: AuditQuery, after?: PageEnd): Promise<AuditPage> => {
    if (after === undefined) await sink.flush();
    return reader.page(query, after);
  };
  return { sink, reader: { page }, counts };
}

function listCounts({ written, dropped, failed }: AuditStats): readonly AuditCount[] {
  return KINDS.map((kind) => ({ kind, written: written[kind], dropped: dropped[kind], failed: failed[kind] }));
}

const KINDS: readonly AuditKind[] = ['access', 'decision'];

function remoteBackend(primary: AuditPrimary, isQueried: boolean): AuditBackend {
  return {
    batch: AT_ONCE,
    write: async (records) => {
      try {
        return { written: records.length, delivered: await primary.take(records), error: undefined };
      } catch (error) {
        return { written: 0, error: error as Error };
      }
    },
    close: async () => {},
    reader: isQueried ? { page: (query, after) => primary.page(query, after) } : undefined,
    closeTimeout: undefined,
  };
}

/** Opens a backend. Rejects with a ConfigError for a configuration that it cannot work with. */
type OpenBackend = (config: AuditConfig, onProblem: OnAuditProblem) => Promise<AuditBackend<StoredRecord>>;

/**
 * Where audit entries can go (docs/spec/server.md#audit-backends). What a backend stands on is loaded by those who use
 * it: the client of Kafka alone takes a third of a second.
 */
const BACKENDS: { readonly [N in AuditBackendName]: OpenBackend } = {
  file: ({ file }, onProblem) => openFileBackend(file, onProblem),
  local: async ({ local, chain }, onProblem) => {
    const { openLocalBackend } = await import('./local/local-backend.js');
    return openLocalBackend(local, onProblem, { isChained: chain.enabled });
  },
  kafka: async ({ kafka, chain }, onProblem) => {
    const { openKafkaBackend } = await import('./kafka/kafka-backend.js');
    return openKafkaBackend(kafka, chain.enabled, onProblem);
  },
  nats: async ({ nats, chain }) => (await import('./nats/nats-backend.js')).openNatsBackend(nats, chain.enabled),
  s3: async ({ s3 }) => (await import('./s3/s3-backend.js')).openS3Backend(s3),
};
