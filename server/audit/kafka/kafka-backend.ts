import { hostname } from 'node:os';
import { encodeAccessLogEntry, encodeDecisionLogEntry } from '../../../proto/gen/wire/audit.js';
import { WireWriter } from '../../../proto/wire/writer.js';
import type { KafkaAuditConfig, KafkaEncoding } from '../../config/audit-config.js';
import type { AuditBackend, OnAuditProblem } from '../backend.js';
import type { StoredRecord } from '../record.js';
import { KafkaConnection, type KafkaMessage } from './connection.js';

/** Length in bytes: by default, brokers reject requests above 1 MiB. */
const MAX_REQUEST_LENGTH = 512 * 1024;

/**
 * Requests that may be under way at a time. Under full load, an answer is read once for many calls, whose entries fill
 * several requests.
 */
const CONCURRENT_REQUESTS = 8;

/**
 * Messages of a Kafka topic (docs/spec/server.md#audit-backends): JSON or protobuf, with headers that say which and of
 * what kind; the key is the call id, so that entries of a call stay together. Entries of a chain have the host name as
 * key, as only a partition keeps their order. The client tries again what can be tried again.
 */
export function openKafkaBackend(
  config: KafkaAuditConfig,
  isChained: boolean,
  onProblem: OnAuditProblem,
): AuditBackend<StoredRecord> {
  const connection = new KafkaConnection(config, onProblem);
  const messageOf = makeEncoder(config, isChained);
  return {
    batch: {
      minRecords: 1,
      maxWait: 0,
      maxRecords: config.produceSync ? 1 : config.maxBufferedRecords,
      maxLength: MAX_REQUEST_LENGTH,
      concurrent: config.produceSync ? 1 : CONCURRENT_REQUESTS,
    },
    write: async (records) => {
      try {
        await connection.send(records.map(messageOf));
        return { written: records.length, error: undefined };
      } catch (error) {
        return { written: 0, error: innermost(error as Error) };
      }
    },
    // A request that timed out may be tried again when its connection closes.
    keepsFailed: true,
    close: () => connection.close(),
    reader: undefined,
    closeTimeout: config.closeTimeout,
  };
}

function makeEncoder(
  { topic, encoding }: KafkaAuditConfig,
  isChained: boolean,
): (record: StoredRecord) => KafkaMessage {
  const valueOf = encoder(encoding);
  const host = hostname();
  const headers = {
    access: makeHeaders('access', encoding),
    decision: makeHeaders('decision', encoding),
    chain: makeHeaders('chain', encoding),
  };
  return (record) => ({
    topic,
    key: Buffer.from(isChained ? host : record.callId),
    value: valueOf(record),
    headers: headers[record.kind],
    timestamp: BigInt(Math.floor(record.time)),
  });
}

function makeHeaders(kind: StoredRecord['kind'], encoding: KafkaEncoding): Map<Buffer, Buffer> {
  return new Map([
    [Buffer.from('authz.audit.encoding'), Buffer.from(encoding)],
    [Buffer.from('authz.audit.kind'), Buffer.from(kind)],
  ]);
}

function encoder(encoding: KafkaEncoding): (record: StoredRecord) => Buffer {
  if (encoding === 'json') return ({ json }) => json;
  const writer = new WireWriter();
  return ({ kind, json }) => {
    const entry = JSON.parse(json.toString());
    return kind === 'decision' ? encodeDecisionLogEntry(entry, writer) : encodeAccessLogEntry(entry, writer);
  };
}

/** The client wraps errors: what the platform or the broker said is inside. */
function innermost(error: Error): Error {
  const inner = (error as AggregateError).errors?.[0] ?? error.cause;
  return inner instanceof Error ? innermost(inner) : error;
}
