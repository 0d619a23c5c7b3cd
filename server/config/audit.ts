import type { AuditConfig, KafkaSasl, KafkaTls, NatsTls } from './audit-config.js';
import { s3Of } from './s3.js';
import type { Settings } from './settings.js';

/** The block `audit` of a configuration. */
export function auditOf(settings: Settings): AuditConfig {
  return {
    enabled: settings['audit.enabled'],
    accessLogsEnabled: settings['audit.accessLogsEnabled'],
    decisionLogsEnabled: settings['audit.decisionLogsEnabled'],
    delivery: settings['audit.delivery'],
    backend: settings['audit.backend'],
    includeMetadataKeys: settings['audit.includeMetadataKeys'],
    excludeMetadataKeys: settings['audit.excludeMetadataKeys'],
    decisionLogFilters: {
      checkResources: { ignoreAllowAll: settings['audit.decisionLogFilters.checkResources.ignoreAllowAll'] },
      planResources: {
        ignoreAll: settings['audit.decisionLogFilters.planResources.ignoreAll'],
        ignoreAlwaysAllow: settings['audit.decisionLogFilters.planResources.ignoreAlwaysAllow'],
      },
    },
    mask: settings['audit.mask'],
    queue: { maxEntries: settings['audit.queue.maxEntries'], maxSizeMB: settings['audit.queue.maxSizeMB'] },
    file: {
      path: settings['audit.file.path'],
      additionalPaths: settings['audit.file.additionalPaths'],
      logRotation: rotationOf(settings),
    },
    local: {
      storagePath: settings['audit.local.storagePath'],
      retentionPeriod: settings['audit.local.retentionPeriod'],
      advanced: {
        bufferSize: settings['audit.local.advanced.bufferSize'],
        maxBatchSize: settings['audit.local.advanced.maxBatchSize'],
        flushInterval: settings['audit.local.advanced.flushInterval'],
        gcInterval: settings['audit.local.advanced.gcInterval'],
      },
    },
    kafka: {
      topic: settings['audit.kafka.topic'],
      brokers: settings['audit.kafka.brokers'],
      ack: settings['audit.kafka.ack'],
      encoding: settings['audit.kafka.encoding'],
      clientID: settings['audit.kafka.clientID'],
      maxBufferedRecords: settings['audit.kafka.maxBufferedRecords'],
      closeTimeout: settings['audit.kafka.closeTimeout'],
      compression: settings['audit.kafka.compression'],
      produceSync: settings['audit.kafka.produceSync'],
      tls: kafkaTlsOf(settings),
      sasl: kafkaSaslOf(settings),
    },
    nats: {
      servers: settings['audit.nats.servers'],
      subject: settings['audit.nats.subject'],
      maxBatchEntries: settings['audit.nats.maxBatchEntries'],
      publishTimeout: settings['audit.nats.publishTimeout'],
      retryTimeout: settings['audit.nats.retryTimeout'],
      closeTimeout: settings['audit.nats.closeTimeout'],
      credentialsPath: settings['audit.nats.authentication.credentialsPath'],
      tls: natsTlsOf(settings),
    },
    s3: {
      bucket: settings['audit.s3.bucket'],
      ...s3Of(settings, 'audit'),
      prefix: settings['audit.s3.prefix'],
      caPath: settings['audit.s3.caPath'],
      maxBatchEntries: settings['audit.s3.maxBatchEntries'],
      maxBatchSizeMB: settings['audit.s3.maxBatchSizeMB'],
      flushInterval: settings['audit.s3.flushInterval'],
      requestTimeout: settings['audit.s3.requestTimeout'],
      retryTimeout: settings['audit.s3.retryTimeout'],
      closeTimeout: settings['audit.s3.closeTimeout'],
    },
    chain: {
      enabled: settings['audit.chain.enabled'],
      stateFile: settings['audit.chain.stateFile'],
      signingKey: settings['audit.chain.signingKey'],
      checkpointEntries: settings['audit.chain.checkpointEntries'],
      checkpointInterval: settings['audit.chain.checkpointInterval'],
    },
  };
}

function rotationOf(settings: Settings): AuditConfig['file']['logRotation'] {
  const maxFileSizeMB = settings['audit.file.logRotation.maxFileSizeMB'];
  if (maxFileSizeMB === undefined) return undefined;
  return {
    maxFileSizeMB,
    maxFileAgeDays: settings['audit.file.logRotation.maxFileAgeDays'],
    maxFileCount: settings['audit.file.logRotation.maxFileCount'],
  };
}

function kafkaTlsOf(settings: Settings): KafkaTls | undefined {
  const caPath = settings['audit.kafka.authentication.tls.caPath'];
  if (caPath === undefined) return undefined;
  return {
    caPath,
    certPath: settings['audit.kafka.authentication.tls.certPath'],
    keyPath: settings['audit.kafka.authentication.tls.keyPath'],
    reloadInterval: settings['audit.kafka.authentication.tls.reloadInterval'],
    insecureSkipVerify: settings['audit.kafka.authentication.tls.insecureSkipVerify'],
  };
}

function kafkaSaslOf(settings: Settings): KafkaSasl | undefined {
  const mechanism = settings['audit.kafka.authentication.sasl.mechanism'];
  if (mechanism === undefined) return undefined;
  const value = settings['audit.kafka.authentication.sasl.password'];
  return {
    mechanism,
    username: settings['audit.kafka.authentication.sasl.username'] ?? '',
    password:
      value === undefined ? { file: settings['audit.kafka.authentication.sasl.passwordFile'] ?? '' } : { value },
  };
}

function natsTlsOf(settings: Settings): NatsTls | undefined {
  const caPath = settings['audit.nats.authentication.tls.caPath'];
  if (caPath === undefined) return undefined;
  return {
    caPath,
    certPath: settings['audit.nats.authentication.tls.certPath'],
    keyPath: settings['audit.nats.authentication.tls.keyPath'],
  };
}
