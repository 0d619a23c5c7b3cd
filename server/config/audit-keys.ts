import {
  AUDIT_BACKENDS,
  AUDIT_DEFAULTS,
  AUDIT_DELIVERIES,
  type AuditBackendName,
  KAFKA_ACKS,
  KAFKA_COMPRESSIONS,
  KAFKA_ENCODINGS,
  KAFKA_MECHANISMS,
  type KafkaCompression,
  type MaskPath,
  parseMaskPath,
} from './audit-config.js';
import { type ConfigKey, quiet, used } from './key.js';
import { s3Keys } from './s3.js';
import { secret } from './secret-type.js';
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

const natsServer: ValueType<string> = {
  read: (node, key) => {
    const written = text.read(node, key);
    return /^(nats|tls):\/\/(\[[0-9a-fA-F:.]+\]|[^\s:/,@[\]]+):\d{1,5}$/.test(written)
      ? written
      : refuse(node, key, 'a server without credentials: `nats://host:port` or `tls://host:port`', false);
  },
  write: (value) => value,
  words: '`nats://host:port` or `tls://host:port`',
  schema: { type: 'string', pattern: String.raw`^(nats|tls)://[^@]+:\d{1,5}$` },
};

const subject: ValueType<string> = {
  read: (node, key) => {
    const written = text.read(node, key);
    return /^[\w-]+(\.[\w-]+)*$/.test(written) ? written : refuse(node, key, 'a subject such as `authz.audit`');
  },
  write: (value) => value,
  words: 'subject',
  schema: { type: 'string', pattern: String.raw`^[\w-]+(\.[\w-]+)*$` },
};

const { decisionLogFilters, queue, file, local, kafka, nats, s3, chain } = AUDIT_DEFAULTS;

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
    'where entries are written: a file, an embedded database that can be queried, Kafka, NATS JetStream, or ' +
      'S3-compatible storage',
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
  'audit.kafka.authentication.sasl.mechanism': used<(typeof KAFKA_MECHANISMS)[number] | undefined>(
    oneOf(...KAFKA_MECHANISMS),
    undefined,
    'how the server says who it is; `PLAIN` needs TLS, or brokers on the same machine',
  ),
  'audit.kafka.authentication.sasl.username': used<string | undefined>(name, undefined, 'user of the brokers'),
  'audit.kafka.authentication.sasl.password': used<string | undefined>(
    secret,
    undefined,
    'its password, such as `${KAFKA_PASSWORD}`',
  ),
  'audit.kafka.authentication.sasl.passwordFile': used<string | undefined>(
    path,
    undefined,
    'file with the password, which is read for each connection',
  ),
  'audit.nats.servers': used(listOf(natsServer), nats.servers, 'servers; at least one is required for `nats`'),
  'audit.nats.subject': used(
    subject,
    nats.subject,
    'what subjects begin with: entries are published to `SUBJECT.access`, `SUBJECT.decision` and, for a chain, ' +
      '`SUBJECT.chain`; a stream must take them',
  ),
  'audit.nats.maxBatchEntries': used(
    integer(1, MANY),
    nats.maxBatchEntries,
    'maximum number of entries that wait for acknowledgement',
  ),
  'audit.nats.publishTimeout': used(duration(1), nats.publishTimeout, 'how long to wait for an acknowledgement'),
  'audit.nats.retryTimeout': used(
    duration(),
    nats.retryTimeout,
    'how long entries that are not acknowledged are published again; then they are counted as failed',
  ),
  'audit.nats.closeTimeout': used(
    duration(),
    nats.closeTimeout,
    'how long the server waits for acknowledgements when it stops',
  ),
  'audit.nats.authentication.credentialsPath': used<string | undefined>(
    path,
    undefined,
    'credentials file (`.creds`); by default, `NATS_CREDS` names it, or `NATS_USER` and `NATS_PASSWORD`, or ' +
      '`NATS_TOKEN`, are the credentials',
  ),
  'audit.nats.authentication.tls.caPath': used<string | undefined>(
    path,
    undefined,
    "CA certificates (PEM) that verify the servers' certificates; turns on TLS",
  ),
  'audit.nats.authentication.tls.certPath': used<string | undefined>(path, undefined, 'client certificate (PEM)'),
  'audit.nats.authentication.tls.keyPath': used<string | undefined>(
    path,
    undefined,
    'private key (PEM) of the client certificate',
  ),
  'audit.s3.bucket': used(text, s3.bucket, 'bucket; required for `s3`'),
  ...s3Keys('audit'),
  'audit.s3.prefix': used(text, s3.prefix, 'what the names of objects begin with'),
  'audit.s3.caPath': used<string | undefined>(
    path,
    undefined,
    "CA certificates (PEM) that verify the storage's certificate; by default, those of the platform",
  ),
  'audit.s3.maxBatchEntries': used(integer(1, MANY), s3.maxBatchEntries, 'maximum number of entries in an object'),
  'audit.s3.maxBatchSizeMB': used(
    integer(1, MANY),
    s3.maxBatchSizeMB,
    'maximum size of an object before compression, in megabytes',
  ),
  'audit.s3.flushInterval': used(duration(1), s3.flushInterval, 'how long a batch that is not full waits'),
  'audit.s3.requestTimeout': used(duration(1), s3.requestTimeout, 'how long one attempt to store an object may take'),
  'audit.s3.retryTimeout': used(
    duration(),
    s3.retryTimeout,
    'how long an object that cannot be stored is tried again; then its entries are counted as failed',
  ),
  'audit.s3.closeTimeout': used(
    duration(),
    s3.closeTimeout,
    'how long the server tries to store entries when it stops',
  ),
  'audit.chain.enabled': used(
    bool,
    chain.enabled,
    'chain entries by hashes, so that `authzc audit verify` finds changes of the log',
  ),
  'audit.chain.stateFile': used<string | undefined>(
    path,
    undefined,
    'file that keeps the end of the chain, to continue it after a restart; without it, `file` and `local` read the ' +
      'end of the log, and others begin a new chain',
  ),
  'audit.chain.signingKey': used<string | undefined>(
    path,
    undefined,
    'Ed25519 private key (PEM) that signs checkpoints of the chain',
  ),
  'audit.chain.checkpointEntries': used(
    integer(1, MANY),
    chain.checkpointEntries,
    'maximum number of entries between two checkpoints',
  ),
  'audit.chain.checkpointInterval': used(
    duration(1000),
    chain.checkpointInterval,
    'how long entries wait for a checkpoint',
  ),
  'audit.hub.*': quiet(),
} as const satisfies { readonly [path: string]: ConfigKey };
