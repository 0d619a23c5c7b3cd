import {
  AUDIT_BACKENDS,
  AUDIT_DEFAULTS,
  AUDIT_DELIVERIES,
  type AuditBackendName,
  KAFKA_ACKS,
  KAFKA_COMPRESSIONS,
  KAFKA_ENCODINGS,
  type KafkaCompression,
  type MaskPath,
  parseMaskPath,
} from './audit-config.js';
import { type ConfigKey, quiet, used } from './key.js';
import {
  bool,
  duration,
  integer,
  listOf,
  name,
  oneOf,
  path,
  refuse,
  text,
  texts,
  type ValueType,
} from './value-types.js';

const HOUR = 3_600_000;
/** Beyond this a count or a size is a slip of the pen. */
const MANY = 1_000_000;

/** `hub` is a service of others: asking for it must not pass for an audit log. */
const backend: ValueType<AuditBackendName> = oneOf(...AUDIT_BACKENDS);

const maskPath: ValueType<MaskPath> = {
  read: (node, key) => {
    const parsed = parseMaskPath(text.read(node, key));
    return typeof parsed === 'string'
      ? refuse(node, key, `a path such as \`principal.attr.ssn\`: ${parsed}`, false)
      : parsed;
  },
  write: ({ root, steps }) => root + steps.map(writeStep).join(''),
  words: 'path',
  schema: { type: 'string', minLength: 1 },
};

function writeStep(step: string): string {
  if (/^(\d+|\*)$/.test(step)) return `[${step}]`;
  if (/^[^.[\]"']+$/.test(step)) return `.${step}`;
  return step.includes('"') ? `['${step}']` : `["${step}"]`;
}

const broker: ValueType<string> = {
  read: (node, key) => {
    const written = text.read(node, key);
    return /^(\[[0-9a-fA-F:.]+\]|[^\s:/,[\]]+):\d{1,5}$/.test(written)
      ? written
      : refuse(node, key, 'a broker: `host:port`');
  },
  write: (value) => value,
  words: '`host:port`',
  schema: { type: 'string', pattern: String.raw`^.+:\d{1,5}$` },
};

const { decisionLogFilters, queue, file, local, kafka } = AUDIT_DEFAULTS;

/** The keys of the audit log (docs/spec/server.md#configuration, section 4). */
export const auditKeys = {
  'audit.enabled': used(bool, AUDIT_DEFAULTS.enabled, 'entries are written to `audit.backend`'),
  'audit.accessLogsEnabled': used(bool, AUDIT_DEFAULTS.accessLogsEnabled, 'every call makes an access entry'),
  'audit.decisionLogsEnabled': used(
    bool,
    AUDIT_DEFAULTS.decisionLogsEnabled,
    'every check and plan makes a decision entry',
  ),
  'audit.backend': used<AuditBackendName | undefined>(
    backend,
    undefined,
    'what entries are written to: a file, an embedded database that can be queried, or Kafka',
  ),
  'audit.delivery': used(
    oneOf(...AUDIT_DELIVERIES),
    AUDIT_DEFAULTS.delivery,
    'whether a reply waits until the backend has the entries of its call; with `before_reply`, a call whose entries cannot be written fails',
  ),
  'audit.includeMetadataKeys': used(texts, AUDIT_DEFAULTS.includeMetadataKeys, 'the request headers that entries have'),
  'audit.excludeMetadataKeys': used(
    texts,
    AUDIT_DEFAULTS.excludeMetadataKeys,
    'the request headers that entries do not have; without `audit.includeMetadataKeys` they have all others',
  ),
  'audit.decisionLogFilters.checkResources.ignoreAllowAll': used(
    bool,
    decisionLogFilters.checkResources.ignoreAllowAll,
    'checks without any denial make no entry',
  ),
  'audit.decisionLogFilters.planResources.ignoreAll': used(
    bool,
    decisionLogFilters.planResources.ignoreAll,
    'plans make no entry',
  ),
  'audit.decisionLogFilters.planResources.ignoreAlwaysAllow': used(
    bool,
    decisionLogFilters.planResources.ignoreAlwaysAllow,
    'plans that allow everything make no entry',
  ),
  'audit.mask': used(
    listOf(maskPath),
    AUDIT_DEFAULTS.mask,
    'what is replaced in entries before they are written: `principal.attr.ssn`, `resource.attr.cards[*].number`, `metadata.x-tenant`',
  ),
  'audit.queue.maxEntries': used(
    integer(1, 100 * MANY),
    queue.maxEntries,
    'how many entries may wait for the backend; what comes when there are so many is dropped and counted',
  ),
  'audit.queue.maxSizeMB': used(integer(1, MANY), queue.maxSizeMB, 'the same in megabytes'),
  'audit.file.path': used(name, file.path, 'a file, `stdout` or `stderr`'),
  'audit.file.additionalPaths': used(listOf(name), file.additionalPaths, 'mirrors, of the same kinds'),
  'audit.file.logRotation.maxFileSizeMB': used<number | undefined>(
    integer(1, MANY),
    undefined,
    'a file of this size is renamed and another begun',
  ),
  'audit.file.logRotation.maxFileAgeDays': used(
    integer(0, MANY),
    0,
    'renamed files older than this are deleted; 0: none',
  ),
  'audit.file.logRotation.maxFileCount': used(integer(0, MANY), 0, 'so many renamed files are kept; 0: all'),
  'audit.local.storagePath': used(path, local.storagePath, 'the folder of the database; required for `local`'),
  'audit.local.retentionPeriod': used(duration(HOUR, 720 * HOUR), local.retentionPeriod, 'how long entries are kept'),
  'audit.local.advanced.bufferSize': used(integer(1, MANY), local.advanced.bufferSize, 'how many batches may wait'),
  'audit.local.advanced.maxBatchSize': used(
    integer(1, MANY),
    local.advanced.maxBatchSize,
    'how many entries are written at a time',
  ),
  'audit.local.advanced.flushInterval': used(
    duration(1000),
    local.advanced.flushInterval,
    'when a batch that is not full is written',
  ),
  'audit.local.advanced.gcInterval': used(
    duration(),
    local.advanced.gcInterval,
    'how often expired entries are deleted; 0: only at start',
  ),
  'audit.kafka.topic': used(text, kafka.topic, 'required for `kafka`'),
  'audit.kafka.brokers': used(listOf(broker), kafka.brokers, 'one or more are required for `kafka`'),
  'audit.kafka.ack': used(oneOf(...KAFKA_ACKS), kafka.ack, 'how many replicas must have a record'),
  'audit.kafka.encoding': used(oneOf(...KAFKA_ENCODINGS), kafka.encoding, 'how entries are written'),
  'audit.kafka.clientID': used(name, kafka.clientID, 'what brokers know the server by'),
  'audit.kafka.maxBufferedRecords': used(
    integer(1, MANY),
    kafka.maxBufferedRecords,
    'how many records may wait for their acknowledgement',
  ),
  'audit.kafka.closeTimeout': used(duration(), kafka.closeTimeout, 'how long stopping waits for them'),
  'audit.kafka.compression': used(
    listOf<KafkaCompression>(oneOf(...KAFKA_COMPRESSIONS)),
    kafka.compression,
    'in order of preference',
  ),
  'audit.kafka.produceSync': used(bool, kafka.produceSync, 'each batch is acknowledged before the next is sent'),
  'audit.kafka.authentication.tls.caPath': used<string | undefined>(
    path,
    undefined,
    "the authorities (PEM) that the brokers' certificates are from; turns TLS on",
  ),
  'audit.kafka.authentication.tls.certPath': used<string | undefined>(
    path,
    undefined,
    'the certificate (PEM) that the server presents',
  ),
  'audit.kafka.authentication.tls.keyPath': used<string | undefined>(path, undefined, 'its private key (PEM)'),
  'audit.kafka.authentication.tls.reloadInterval': used(
    duration(),
    300_000,
    'how often the files are read again; 0: only at start',
  ),
  'audit.kafka.authentication.tls.insecureSkipVerify': used(
    bool,
    false,
    'the certificates of brokers are not verified',
  ),
  'audit.hub.*': quiet(),
} as const satisfies { readonly [path: string]: ConfigKey };
