import { maskPath } from './mask-path.js';
import { makeList } from './schema-type.js';
import { s3Keys } from './s3.js';
import { key, optionalKey, quiet, section } from './section.js';
import { bool, duration, integer, name, pickOne, path, secret, text, textLike, texts } from './value-types.js';

const HOUR = 3_600_000;
/** Beyond this a count or a size is a slip of the pen. */
const MANY = 1_000_000;

const broker = textLike(/^(\[[0-9a-fA-F:.]+\]|[^\s:/,[\]]+):\d{1,5}$/, 'a broker: `host:port`', '`host:port`');

const natsServer = textLike(
  /^(nats|tls):\/\/(\[[0-9a-fA-F:.]+\]|[^\s:/,@[\]]+):\d{1,5}$/,
  'a server without credentials: `nats://host:port` or `tls://host:port`',
  '`nats://host:port` or `tls://host:port`',
  false,
);

const subject = textLike(/^[\w-]+(\.[\w-]+)*$/, 'a subject such as `authz.audit`', 'subject');

const decisionLogFilters = section({
  checkResources: section({
    ignoreAllowAll: key(bool, false, 'write no entry for checks without a denial'),
  }),
  planResources: section({
    ignoreAll: key(bool, false, 'write no entry for plans'),
    ignoreAlwaysAllow: key(bool, false, 'write no entry for plans that allow everything'),
  }),
});

const file = section({
  path: key(name, 'stdout', 'path of the file, or `stdout` or `stderr`'),
  additionalPaths: key(makeList(name), [], 'further paths to write the same entries to'),
  logRotation: section({
    maxFileSizeMB: optionalKey(integer(1, MANY), 'rename the file and start a new one at this size'),
    maxFileAgeDays: key(integer(0, MANY), 0, 'delete renamed files older than this; 0 means never'),
    maxFileCount: key(integer(0, MANY), 0, 'maximum number of renamed files; 0 means unlimited'),
  }),
});

const local = section({
  storagePath: key(path, '', 'folder of the database; required for `local`'),
  retentionPeriod: key(duration(HOUR, 720 * HOUR), '168h', 'how long entries are kept'),
  advanced: section({
    bufferSize: key(integer(1, MANY), 16, 'maximum number of batches that wait'),
    maxBatchSize: key(integer(1, MANY), 16, 'maximum number of entries in a batch'),
    flushInterval: key(duration(1000), '30s', 'maximum time to wait for a batch to fill'),
    gcInterval: key(duration(), '15m', 'how often expired entries are deleted; 0 means only at start'),
  }),
});

const clientCertificate = {
  certPath: optionalKey(path, 'client certificate (PEM)'),
  keyPath: optionalKey(path, 'private key (PEM) of the client certificate'),
};

const kafka = section({
  topic: key(text, '', 'topic; required for `kafka`'),
  brokers: key(makeList(broker), [], 'brokers; at least one is required for `kafka`'),
  ack: key(pickOne('none', 'leader', 'all'), 'all', 'replicas that must acknowledge a record'),
  encoding: key(pickOne('json', 'protobuf'), 'json', 'encoding of entries'),
  clientID: key(name, 'authz', 'client id sent to brokers'),
  maxBufferedRecords: key(integer(1, MANY), 250, 'maximum number of records that wait for acknowledgement'),
  closeTimeout: key(duration(), '30s', 'how long the server waits for acknowledgements when it stops'),
  compression: key(
    makeList(pickOne('none', 'gzip', 'snappy', 'lz4', 'zstd')),
    [],
    'compression codecs, in order of preference',
  ),
  produceSync: key(bool, false, 'wait for the acknowledgement of each batch before sending the next'),
  authentication: section({
    tls: section({
      caPath: optionalKey(path, "CA certificates (PEM) that verify the brokers' certificates; turns on TLS"),
      ...clientCertificate,
      reloadInterval: key(duration(), '5m', 'how often the files are reloaded; 0 means only at start'),
      insecureSkipVerify: key(bool, false, 'do not verify the certificates of brokers'),
    }),
    sasl: section({
      mechanism: optionalKey(
        pickOne('PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'),
        'authentication mechanism; `PLAIN` needs TLS, or brokers on the same machine',
      ),
      username: optionalKey(name, 'user of the brokers'),
      password: optionalKey(secret, 'its password, such as `${KAFKA_PASSWORD}`'),
      passwordFile: optionalKey(path, 'file that contains the password; read for each connection'),
    }),
  }),
});

const nats = section({
  servers: key(makeList(natsServer), [], 'servers; at least one is required for `nats`'),
  subject: key(
    subject,
    'authz.audit',
    'prefix of the subjects: entries are published to `SUBJECT.access`, `SUBJECT.decision` and, for a chain, ' +
      '`SUBJECT.chain`; a stream must capture them',
  ),
  maxBatchEntries: key(integer(1, MANY), 256, 'maximum number of entries that wait for acknowledgement'),
  publishTimeout: key(duration(1), '5s', 'how long to wait for an acknowledgement'),
  retryTimeout: key(
    duration(),
    '1m',
    'how long to retry entries that are not acknowledged; after that, they count as failed',
  ),
  closeTimeout: key(duration(), '30s', 'how long the server waits for acknowledgements when it stops'),
  authentication: section({
    credentialsPath: optionalKey(
      path,
      'credentials file (`.creds`); by default, `NATS_CREDS` names it, or `NATS_USER` and `NATS_PASSWORD`, or ' +
        '`NATS_TOKEN`, are the credentials',
    ),
    tls: section({
      caPath: optionalKey(path, "CA certificates (PEM) that verify the servers' certificates; turns on TLS"),
      ...clientCertificate,
    }),
  }),
});

const s3 = section({
  bucket: key(text, '', 'bucket; required for `s3`'),
  ...s3Keys,
  prefix: key(text, 'audit', 'prefix of object names'),
  caPath: optionalKey(
    path,
    "CA certificates (PEM) that verify the storage's certificate; by default, those of the platform",
  ),
  maxBatchEntries: key(integer(1, MANY), 5000, 'maximum number of entries in an object'),
  maxBatchSizeMB: key(integer(1, MANY), 8, 'maximum size of an object before compression, in megabytes'),
  flushInterval: key(duration(1), '1m', 'maximum time to wait for a batch to fill'),
  requestTimeout: key(duration(1), '30s', 'timeout of one attempt to store an object'),
  retryTimeout: key(
    duration(),
    '5m',
    'how long to retry an object that cannot be stored; after that, its entries count as failed',
  ),
  closeTimeout: key(duration(), '30s', 'how long the server tries to store entries when it stops'),
});

const chain = section({
  enabled: key(bool, false, 'chain entries by hashes, so that `authzc audit verify` detects changes to the log'),
  stateFile: optionalKey(
    path,
    'file that stores the end of the chain, to continue it after a restart; without it, `file` and `local` read the ' +
      'end of the log, and others begin a new chain',
  ),
  signingKey: optionalKey(path, 'Ed25519 private key (PEM) that signs checkpoints of the chain'),
  checkpointEntries: key(integer(1, MANY), 1000, 'maximum number of entries between two checkpoints'),
  checkpointInterval: key(duration(1000), '1m', 'maximum time between two checkpoints'),
});

/** `audit`: the audit log (docs/spec/server.md#configuration). */
export const auditKeys = section({
  enabled: key(bool, false, 'write audit entries to `audit.backend`'),
  accessLogsEnabled: key(bool, true, 'write an access entry for every call'),
  decisionLogsEnabled: key(bool, true, 'write a decision entry for every check and plan'),
  // `hub` is a service of others: asking for it must not pass for an audit log.
  backend: optionalKey(
    pickOne('file', 'local', 'kafka', 'nats', 's3'),
    'where entries are written: a file, an embedded database that can be queried, Kafka, NATS JetStream, or ' +
      'S3-compatible storage',
  ),
  delivery: key(
    pickOne('after_reply', 'before_reply'),
    'after_reply',
    'whether a response waits until the backend has the entries of its call; with `before_reply`, the call fails ' +
      'if they cannot be written',
  ),
  includeMetadataKeys: key(texts, [], 'request headers to include in entries'),
  excludeMetadataKeys: key(
    texts,
    [],
    'request headers to exclude from entries; without `audit.includeMetadataKeys`, all others are included',
  ),
  decisionLogFilters,
  facts: key(
    pickOne('all', 'read-set', 'none'),
    'all',
    'attributes and claims that entries keep: all, those that the decision and its outputs can read, or none; ' +
      '`read-set` needs policies compiled with `--facts`',
  ),
  mask: key(
    makeList(maskPath),
    [],
    'values to replace in entries before they are written: `principal.attr.ssn`, ' +
      '`resource.attr.cards[*].number`, `metadata.x-tenant`',
  ),
  queue: section({
    maxEntries: key(
      integer(1, 100 * MANY),
      16_384,
      'maximum number of entries that wait for the backend; further entries are dropped and counted',
    ),
    maxSizeMB: key(integer(1, MANY), 64, 'maximum size of the entries that wait, in megabytes'),
  }),
  file,
  local,
  kafka,
  nats,
  s3,
  chain,
  hub: section({}, { '*': quiet }),
});
