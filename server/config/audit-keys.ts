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
  'audit.enabled': used(bool, AUDIT_DEFAULTS.enabled, 'write audit entries to `audit.backend`'),
  'audit.accessLogsEnabled': used(bool, AUDIT_DEFAULTS.accessLogsEnabled, 'write an access entry for every call'),
  'audit.decisionLogsEnabled': used(
    bool,
    AUDIT_DEFAULTS.decisionLogsEnabled,
    'write a decision entry for every check and plan',
  ),
  'audit.backend': used<AuditBackendName | undefined>(
    backend,
    undefined,
    'where entries are written: a file, an embedded database that can be queried, or Kafka',
  ),
  'audit.delivery': used(
    oneOf(...AUDIT_DELIVERIES),
    AUDIT_DEFAULTS.delivery,
    'whether a response waits until the backend has the entries of its call; with `before_reply`, the call fails ' +
      'if they cannot be written',
  ),
  'audit.includeMetadataKeys': used(texts, AUDIT_DEFAULTS.includeMetadataKeys, 'request headers to include in entries'),
  'audit.excludeMetadataKeys': used(
    texts,
    AUDIT_DEFAULTS.excludeMetadataKeys,
    'request headers to exclude from entries; without `audit.includeMetadataKeys`, all others are included',
  ),
  'audit.decisionLogFilters.checkResources.ignoreAllowAll': used(
    bool,
    decisionLogFilters.checkResources.ignoreAllowAll,
    'write no entry for checks without a denial',
  ),
  'audit.decisionLogFilters.planResources.ignoreAll': used(
    bool,
    decisionLogFilters.planResources.ignoreAll,
    'write no entry for plans',
  ),
  'audit.decisionLogFilters.planResources.ignoreAlwaysAllow': used(
    bool,
    decisionLogFilters.planResources.ignoreAlwaysAllow,
    'write no entry for plans that allow everything',
  ),
  'audit.mask': used(
    listOf(maskPath),
    AUDIT_DEFAULTS.mask,
    'values to replace in entries before they are written: `principal.attr.ssn`, ' +
      '`resource.attr.cards[*].number`, `metadata.x-tenant`',
  ),
  'audit.queue.maxEntries': used(
    integer(1, 100 * MANY),
    queue.maxEntries,
    'maximum number of entries that wait for the backend; further entries are dropped and counted',
  ),
  'audit.queue.maxSizeMB': used(
    integer(1, MANY),
    queue.maxSizeMB,
    'maximum size of the entries that wait, in megabytes',
  ),
  'audit.file.path': used(name, file.path, 'path of the file, or `stdout` or `stderr`'),
  'audit.file.additionalPaths': used(listOf(name), file.additionalPaths, 'further paths to write the same entries to'),
  'audit.file.logRotation.maxFileSizeMB': used<number | undefined>(
    integer(1, MANY),
    undefined,
    'rename the file and start a new one at this size',
  ),
  'audit.file.logRotation.maxFileAgeDays': used(
    integer(0, MANY),
    0,
    'delete renamed files older than this; 0 means never',
  ),
  'audit.file.logRotation.maxFileCount': used(
    integer(0, MANY),
    0,
    'maximum number of renamed files; 0 means unlimited',
  ),
  'audit.local.storagePath': used(path, local.storagePath, 'folder of the database; required for `local`'),
  'audit.local.retentionPeriod': used(duration(HOUR, 720 * HOUR), local.retentionPeriod, 'how long entries are kept'),
  'audit.local.advanced.bufferSize': used(
    integer(1, MANY),
    local.advanced.bufferSize,
    'maximum number of batches that wait',
  ),
  'audit.local.advanced.maxBatchSize': used(
    integer(1, MANY),
    local.advanced.maxBatchSize,
    'maximum number of entries in a batch',
  ),
  'audit.local.advanced.flushInterval': used(
    duration(1000),
    local.advanced.flushInterval,
    'how long a batch that is not full waits',
  ),
  'audit.local.advanced.gcInterval': used(
    duration(),
    local.advanced.gcInterval,
    'how often expired entries are deleted; 0 means only at start',
  ),
  'audit.kafka.topic': used(text, kafka.topic, 'topic; required for `kafka`'),
  'audit.kafka.brokers': used(listOf(broker), kafka.brokers, 'brokers; at least one is required for `kafka`'),
  'audit.kafka.ack': used(oneOf(...KAFKA_ACKS), kafka.ack, 'replicas that must acknowledge a record'),
  'audit.kafka.encoding': used(oneOf(...KAFKA_ENCODINGS), kafka.encoding, 'encoding of entries'),
  'audit.kafka.clientID': used(name, kafka.clientID, 'client id sent to brokers'),
  'audit.kafka.maxBufferedRecords': used(
    integer(1, MANY),
    kafka.maxBufferedRecords,
    'maximum number of records that wait for acknowledgement',
  ),
  'audit.kafka.closeTimeout': used(
    duration(),
    kafka.closeTimeout,
    'how long the server waits for acknowledgements when it stops',
  ),
  'audit.kafka.compression': used(
    listOf<KafkaCompression>(oneOf(...KAFKA_COMPRESSIONS)),
    kafka.compression,
    'compression codecs, in order of preference',
  ),
  'audit.kafka.produceSync': used(
    bool,
    kafka.produceSync,
    'wait for the acknowledgement of each batch before sending the next',
  ),
  'audit.kafka.authentication.tls.caPath': used<string | undefined>(
    path,
    undefined,
    "CA certificates (PEM) that verify the brokers' certificates; turns on TLS",
  ),
  'audit.kafka.authentication.tls.certPath': used<string | undefined>(path, undefined, 'client certificate (PEM)'),
  'audit.kafka.authentication.tls.keyPath': used<string | undefined>(
    path,
    undefined,
    'private key (PEM) of the client certificate',
  ),
  'audit.kafka.authentication.tls.reloadInterval': used(
    duration(),
    300_000,
    'how often the files are reloaded; 0 means only at start',
  ),
  'audit.kafka.authentication.tls.insecureSkipVerify': used(bool, false, 'do not verify the certificates of brokers'),
  'audit.hub.*': quiet(),
} as const satisfies { readonly [path: string]: ConfigKey };
