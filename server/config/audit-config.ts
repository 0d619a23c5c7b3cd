import type { S3Config } from './s3.js';

/**
 * The block `audit` of the configuration (docs/spec/server.md#configuration, section 4). Durations are in milliseconds.
 */
export interface AuditConfig {
  /** Default false. On without a backend is a start-up error. */
  readonly enabled: boolean;
  /** Default true. */
  readonly accessLogsEnabled: boolean;
  /** Default true. */
  readonly decisionLogsEnabled: boolean;
  /** Whether a reply waits until the backend has the entries of its call. Default `after_reply`. */
  readonly delivery: AuditDelivery;
  /** What entries are written to; undefined only when `enabled` is false. */
  readonly backend: AuditBackendName | undefined;
  /** Names of request metadata, in any case. Default none. */
  readonly includeMetadataKeys: readonly string[];
  readonly excludeMetadataKeys: readonly string[];
  readonly decisionLogFilters: DecisionLogFilters;
  /**
   * What is replaced in entries before they are written: `principal.attr.ssn`, `metadata.x-tenant`. Read with
   * `parseMaskPath`. Default none.
   */
  readonly mask: readonly MaskPath[];
  readonly queue: QueueConfig;
  /** Only the block of the chosen backend is looked at. */
  readonly file: FileAuditConfig;
  readonly local: LocalAuditConfig;
  readonly kafka: KafkaAuditConfig;
  readonly nats: NatsAuditConfig;
  readonly s3: S3AuditConfig;
  readonly chain: ChainConfig;
}

export const AUDIT_DELIVERIES = ['after_reply', 'before_reply'] as const;
export type AuditDelivery = (typeof AUDIT_DELIVERIES)[number];

export const AUDIT_BACKENDS = ['file', 'local', 'kafka', 'nats', 's3'] as const;
export type AuditBackendName = (typeof AUDIT_BACKENDS)[number];

/** Decisions that make no entry. All false by default. */
export interface DecisionLogFilters {
  readonly checkResources: {
    /** Leaves out checks without any denial. */
    readonly ignoreAllowAll: boolean;
  };
  readonly planResources: {
    /** Leaves out every plan. */
    readonly ignoreAll: boolean;
    /** Leaves out plans that allow everything. */
    readonly ignoreAlwaysAllow: boolean;
  };
}

/** Entries on their way to the backend. What comes when either limit is reached is dropped and counted. */
export interface QueueConfig {
  /** 1 or more; default 16384. */
  readonly maxEntries: number;
  /** Of entries as text; 1 or more; default 64. */
  readonly maxSizeMB: number;
}

export interface FileAuditConfig {
  /** A file, `stdout` or `stderr`. Default `stdout`. */
  readonly path: string;
  /** Mirrors, of the same kinds. Default none. */
  readonly additionalPaths: readonly string[];
  /** Undefined, the default: a file grows. stdout and stderr are never rotated. */
  readonly logRotation: LogRotation | undefined;
}

export interface LogRotation {
  /** 1 or more, required. */
  readonly maxFileSizeMB: number;
  /** Rotated files older than this are deleted; 0, the default: none. */
  readonly maxFileAgeDays: number;
  /** So many rotated files are kept; 0, the default: all. */
  readonly maxFileCount: number;
}

/** An embedded database that can be queried. */
export interface LocalAuditConfig {
  /** The folder of the database. Required. */
  readonly storagePath: string;
  /** 1 h to 720 h; default 168 h. */
  readonly retentionPeriod: number;
  readonly advanced: {
    /** In batches; 1 or more; default 16. */
    readonly bufferSize: number;
    /** 1 or more; default 16. */
    readonly maxBatchSize: number;
    /** 1 s or more; default 30 s. */
    readonly flushInterval: number;
    /** 0: expired entries are only deleted at start. Default 15 min. */
    readonly gcInterval: number;
  };
}

export interface KafkaAuditConfig {
  /** Required. */
  readonly topic: string;
  /** `host:port`, one or more. */
  readonly brokers: readonly string[];
  /** How many replicas must have a record: default `all`. */
  readonly ack: KafkaAck;
  /** Default `json`. */
  readonly encoding: KafkaEncoding;
  /** Default `authz`. */
  readonly clientID: string;
  /** Records handed to the client and not acknowledged; 1 or more; default 250. */
  readonly maxBufferedRecords: number;
  /** How long closing waits for what is under way; default 30 s. */
  readonly closeTimeout: number;
  /** In order of preference: the first that the platform has is used. Default none. */
  readonly compression: readonly KafkaCompression[];
  /** One batch after the other, each acknowledged before the next is sent. Default false. */
  readonly produceSync: boolean;
  /** `audit.kafka.authentication.tls`; undefined: plaintext. */
  readonly tls: KafkaTls | undefined;
  /** `audit.kafka.authentication.sasl`; undefined: brokers are not told who the server is. */
  readonly sasl: KafkaSasl | undefined;
}

export const KAFKA_MECHANISMS = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;

/** A user of the brokers. */
export interface KafkaSasl {
  readonly mechanism: (typeof KAFKA_MECHANISMS)[number];
  readonly username: string;
  /** A file is read for each connection. */
  readonly password: { readonly value: string } | { readonly file: string };
}

export const KAFKA_ACKS = ['none', 'leader', 'all'] as const;
export type KafkaAck = (typeof KAFKA_ACKS)[number];
export const KAFKA_ENCODINGS = ['json', 'protobuf'] as const;
export type KafkaEncoding = (typeof KAFKA_ENCODINGS)[number];
export const KAFKA_COMPRESSIONS = ['none', 'gzip', 'snappy', 'lz4', 'zstd'] as const;
export type KafkaCompression = (typeof KAFKA_COMPRESSIONS)[number];

/** PEM files. Certificate and key come together or not at all. */
export interface KafkaTls {
  readonly caPath: string;
  readonly certPath: string | undefined;
  readonly keyPath: string | undefined;
  /** How often the files are read again; 0: only at start. Default 5 min. */
  readonly reloadInterval: number;
  readonly insecureSkipVerify: boolean;
}

/** A stream of NATS JetStream. */
export interface NatsAuditConfig {
  /** `nats://host:port` or `tls://host:port`, one or more. */
  readonly servers: readonly string[];
  /** Entries are published to `subject.access`, `subject.decision` and `subject.chain`. Default `authz.audit`. */
  readonly subject: string;
  /** Published at once; 1 or more; default 256. */
  readonly maxBatchEntries: number;
  /** How long to wait for an acknowledgement; default 5 s. */
  readonly publishTimeout: number;
  /** How long a batch is tried again; default 1 min. */
  readonly retryTimeout: number;
  /** How long closing waits for what is under way; default 30 s. */
  readonly closeTimeout: number;
  /** A credentials file of NATS; undefined: what the environment has. */
  readonly credentialsPath: string | undefined;
  /** `audit.nats.authentication.tls`; undefined: as the scheme of the servers says, with the CAs of the platform. */
  readonly tls: NatsTls | undefined;
}

/** PEM files. Certificate and key come together or not at all. */
export interface NatsTls {
  readonly caPath: string;
  readonly certPath: string | undefined;
  readonly keyPath: string | undefined;
}

/** Objects in S3-compatible storage. */
export interface S3AuditConfig extends S3Config {
  /** Required. */
  readonly bucket: string;
  /** What names of objects begin with; default `audit`. */
  readonly prefix: string;
  /** CA certificates (PEM) of the endpoint; undefined: those of the platform. */
  readonly caPath: string | undefined;
  /** Of an object; 1 or more; default 5000. */
  readonly maxBatchEntries: number;
  /** Of an object before compression; 1 or more; default 8. */
  readonly maxBatchSizeMB: number;
  /** How long a batch that is not full waits; default 1 min. */
  readonly flushInterval: number;
  /** Of one attempt; default 30 s. */
  readonly requestTimeout: number;
  /** How long a batch is tried again; default 5 min. */
  readonly retryTimeout: number;
  /** How long closing waits for what is under way; default 30 s. */
  readonly closeTimeout: number;
}

/** Entries chained by hashes. */
export interface ChainConfig {
  /** Default false. */
  readonly enabled: boolean;
  /** The file that keeps where the chain is; undefined: only the log itself says. */
  readonly stateFile: string | undefined;
  /** An Ed25519 private key (PEM); undefined: nothing is signed. */
  readonly signingKey: string | undefined;
  /** With a key: after so many entries, a signed one follows; 1 or more; default 1000. */
  readonly checkpointEntries: number;
  /** With a key: how long entries wait for a signed one; default 1 min. */
  readonly checkpointInterval: number;
}

/** What a key that is not given means. */
export const AUDIT_DEFAULTS: AuditConfig = {
  enabled: false,
  accessLogsEnabled: true,
  decisionLogsEnabled: true,
  delivery: 'after_reply',
  backend: undefined,
  includeMetadataKeys: [],
  excludeMetadataKeys: [],
  decisionLogFilters: {
    checkResources: { ignoreAllowAll: false },
    planResources: { ignoreAll: false, ignoreAlwaysAllow: false },
  },
  mask: [],
  queue: { maxEntries: 16_384, maxSizeMB: 64 },
  file: { path: 'stdout', additionalPaths: [], logRotation: undefined },
  local: {
    storagePath: '',
    retentionPeriod: 168 * 3_600_000,
    advanced: { bufferSize: 16, maxBatchSize: 16, flushInterval: 30_000, gcInterval: 900_000 },
  },
  kafka: {
    topic: '',
    brokers: [],
    ack: 'all',
    encoding: 'json',
    clientID: 'authz',
    maxBufferedRecords: 250,
    closeTimeout: 30_000,
    compression: [],
    produceSync: false,
    tls: undefined,
    sasl: undefined,
  },
  nats: {
    servers: [],
    subject: 'authz.audit',
    maxBatchEntries: 256,
    publishTimeout: 5000,
    retryTimeout: 60_000,
    closeTimeout: 30_000,
    credentialsPath: undefined,
    tls: undefined,
  },
  s3: {
    bucket: '',
    endpoint: undefined,
    region: undefined,
    pathStyle: false,
    prefix: 'audit',
    credentialsFile: undefined,
    profile: undefined,
    caPath: undefined,
    maxBatchEntries: 5000,
    maxBatchSizeMB: 8,
    flushInterval: 60_000,
    requestTimeout: 30_000,
    retryTimeout: 300_000,
    closeTimeout: 30_000,
  },
  chain: {
    enabled: false,
    stateFile: undefined,
    signingKey: undefined,
    checkpointEntries: 1000,
    checkpointInterval: 60_000,
  },
};

/** A place in an entry: names and list positions from one of the roots down; `*` is every member or item. */
export interface MaskPath {
  readonly root: MaskRoot;
  readonly steps: readonly string[];
}

/** The parts of an entry that can be masked (docs/spec/server.md#configuration, the idea of `mask`). */
const MASK_ROOTS = ['principal', 'resource', 'auxData', 'requestContext', 'metadata', 'peer', 'outputs'] as const;
export type MaskRoot = (typeof MASK_ROOTS)[number];

/**
 * Parses `principal.attr.ssn`, `resource.attr.cards[*].number`, `principal.attr["odd.name"]`: a root, then at least one
 * step. For an invalid path, returns the reason as a string that can follow the name of the key.
 */
export function parseMaskPath(text: string): MaskPath | string {
  const steps: string[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const at = STEP.lastIndex;
    const step = STEP.exec(text);
    if (step === null) return `\`${text}\` is not a path: unexpected character at ${at + 1}`;
    if (at > 0 && step[1] === undefined && step[2] !== undefined)
      return `\`${text}\` is not a path: unexpected character at ${at + 1}`;
    steps.push(step[2] ?? step[3] ?? step[4] ?? step[5] ?? '');
  }
  const root = MASK_ROOTS.find((known) => known === steps[0]);
  if (root === undefined || text.startsWith('.') || text.startsWith('['))
    return `\`${text}\` does not begin with one of ${MASK_ROOTS.join(', ')}`;
  if (steps.length === 1) return `\`${text}\` names no member of ${root}`;
  return { root, steps: steps.slice(1) };
}

/** `.name`, `["name"]`, `['name']`, `[0]`, `[*]`. */
const STEP = /(\.)?([^.[\]"']+)|\[(?:"([^"]*)"|'([^']*)')\]|\[(\d+|\*)\]/y;
