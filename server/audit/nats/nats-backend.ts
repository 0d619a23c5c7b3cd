import { JetStreamApiError } from '@nats-io/jetstream';
import type { NatsAuditConfig } from '../../config/audit-config.js';
import { CallIds } from '../../service/call-id.js';
import type { AuditBackend, Written } from '../backend.js';
import type { StoredRecord } from '../record.js';
import { PermanentError, Retries } from '../retries.js';
import { NatsLink } from './connection.js';

/** Length in bytes: what is published at once. Each entry is a message, and one that is too long is lost alone. */
const MAX_BATCH_LENGTH = 4 * 1024 * 1024;

/** The error code of a stream for a message that is longer than its `max_msg_size`. */
const TOO_LONG_FOR_STREAM = 10_054;

/**
 * Messages of NATS JetStream (docs/spec/server.md#audit-backends): the JSON of an entry, under a subject for each kind.
 * Each is acknowledged by the stream. What is not acknowledged is published again with the same message id, by which
 * the stream recognizes what it has. Entries that are too long are lost alone.
 *
 * @param isOrdered whether the stream must get the entries in their order, also if it refuses some of them at first:
 *   those of a chain. Each message then names the one before it, without which the stream does not take it.
 */
export function openNatsBackend(config: NatsAuditConfig, isOrdered = false): AuditBackend<StoredRecord> {
  const link = new NatsLink(config);
  const retries = new Retries(config.retryTimeout);
  const instance = new CallIds().next();
  const window = new Window();
  const ids = new WeakMap<StoredRecord, string>();
  let known = 0;
  const identifyRecord = (record: StoredRecord): string => {
    const id = ids.get(record) ?? `${instance}-${known++}`;
    ids.set(record, id);
    return id;
  };

  /** Publishes all at once. Resolves with how many from the front are stored, and why the next one is not. */
  const publish = async (records: readonly StoredRecord[]): Promise<Written> => {
    const { client, maxPayload } = await link.open();
    const results = await Promise.allSettled(
      records.map(async (record, index) => {
        const { kind, json } = record;
        if (json.length > maxPayload)
          throw new PermanentError(`the entry has ${json.length} bytes, but NATS accepts at most ${maxPayload}`);
        const before = isOrdered ? records[index - 1] : undefined;
        const expect = before && { lastMsgID: identifyRecord(before) };
        await client.publish(`${config.subject}.${kind}`, json, {
          msgID: identifyRecord(record),
          ...(expect && { expect }),
        });
      }),
    );
    const failed = results.findIndex(({ status }) => status === 'rejected');
    if (failed < 0) return { written: results.length, error: undefined };
    const { reason } = results[failed] as PromiseRejectedResult;
    const isTooLong = reason instanceof JetStreamApiError && reason.code === TOO_LONG_FOR_STREAM;
    return { written: failed, error: isTooLong ? new PermanentError(reason.message) : reason };
  };

  const write = async (records: readonly StoredRecord[]): Promise<Written> => {
    let written = 0;
    const error = await retries.run(async () => {
      while (written < records.length) {
        const part = records.slice(written, isOrdered ? written + window.size : undefined);
        const result = await publish(part);
        written += result.written;
        window.tell(result.written, part.length);
        // What another process publishes in between is in the way of all but the first one.
        if (result.written === 0 && result.error !== undefined) throw result.error;
      }
    });
    return { written, ...(error instanceof PermanentError && { lost: 1 }), error };
  };
  return {
    batch: { minRecords: 1, maxWait: 0, maxRecords: config.maxBatchEntries, maxLength: MAX_BATCH_LENGTH },
    write,
    // What is published while the connection is broken waits in the client.
    keepsFailed: true,
    close: async () => {
      retries.stop();
      await link.close();
    },
    reader: undefined,
    closeTimeout: config.closeTimeout,
  };
}

/**
 * How many messages are published at once that must be stored in their order. While only this process publishes, the
 * stream takes all of them; with others, as many as fit between theirs.
 */
class Window {
  #size = LARGEST_WINDOW;

  get size(): number {
    return this.#size;
  }

  /** So many of those that were published at once are stored. */
  tell(stored: number, sent: number): void {
    if (stored < sent) this.#size = Math.max(1, stored);
    else if (sent === this.#size) this.#size = Math.min(2 * sent, LARGEST_WINDOW);
  }
}

const LARGEST_WINDOW = 1024;
