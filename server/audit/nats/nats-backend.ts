import type { NatsAuditConfig } from '../../config/audit-config.js';
import { CallIds } from '../../service/call-id.js';
import type { AuditBackend, Written } from '../backend.js';
import type { StoredRecord } from '../record.js';
import { PermanentError, Retries } from '../retries.js';
import { NatsLink } from './connection.js';

/** By default, servers reject messages above 1 MiB; a longer entry is a batch on its own, and only it is lost. */
const MAX_BATCH_LENGTH = 512 * 1024;

/**
 * Messages of NATS JetStream (docs/spec/server.md#audit-backends): the JSON of an entry, under a subject for each kind.
 * Each is acknowledged by the stream. What is not acknowledged is published again with the same message id, by which
 * the stream recognizes what it has.
 */
export function openNatsBackend(config: NatsAuditConfig): AuditBackend<StoredRecord> {
  const link = new NatsLink(config);
  const retries = new Retries(config.retryTimeout);
  const instance = new CallIds().next();
  let published = 0;
  const write = async (records: readonly StoredRecord[]): Promise<Written> => {
    const messages = records.map((record) => ({ ...record, id: `${instance}-${published++}` }));
    let written = 0;
    const error = await retries.run(async () => {
      const { client, maxPayload } = await link.open();
      const results = await Promise.allSettled(
        messages.slice(written).map(async ({ kind, id, json }) => {
          if (json.length > maxPayload)
            throw new PermanentError(`the entry has ${json.length} bytes, and NATS takes ${maxPayload}`);
          await client.publish(`${config.subject}.${kind}`, json, { msgID: id });
        }),
      );
      const failed = results.findIndex(({ status }) => status === 'rejected');
      written += failed < 0 ? results.length : failed;
      if (failed >= 0) throw (results[failed] as PromiseRejectedResult).reason;
    });
    return { written, error };
  };
  return {
    batch: { minRecords: 1, maxWait: 0, maxRecords: config.maxBatchEntries, maxLength: MAX_BATCH_LENGTH },
    write,
    close: async () => {
      retries.stop();
      await link.close();
    },
    reader: undefined,
    closeTimeout: config.closeTimeout,
  };
}
