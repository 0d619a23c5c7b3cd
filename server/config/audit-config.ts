import * as v from 'valibot';
import { auditKeys } from './audit-keys.js';
import { withoutEmptyPath } from './s3.js';
import { blank } from './section.js';

type Keys = v.InferOutput<typeof auditKeys>;

/** The audit log, as the server uses its configuration. Durations are milliseconds. */
export type AuditConfig = ReturnType<typeof createAuditConfig>;
export type AuditBackendName = NonNullable<AuditConfig['backend']>;
export type AuditDelivery = AuditConfig['delivery'];
export type DecisionLogFilters = AuditConfig['decisionLogFilters'];
export type QueueConfig = AuditConfig['queue'];
export type FileAuditConfig = AuditConfig['file'];
export type LogRotation = NonNullable<FileAuditConfig['logRotation']>;
export type LocalAuditConfig = AuditConfig['local'];
export type KafkaAuditConfig = AuditConfig['kafka'];
export type KafkaAck = KafkaAuditConfig['ack'];
export type KafkaEncoding = KafkaAuditConfig['encoding'];
export type KafkaCompression = KafkaAuditConfig['compression'][number];
export type KafkaTls = NonNullable<KafkaAuditConfig['tls']>;
export type NatsAuditConfig = AuditConfig['nats'];
export type NatsTls = NonNullable<NatsAuditConfig['tls']>;
export type S3AuditConfig = AuditConfig['s3'];
export type ChainConfig = AuditConfig['chain'];

/** A user of the brokers. */
export interface KafkaSasl {
  readonly mechanism: NonNullable<Keys['kafka']['authentication']['sasl']['mechanism']>;
  readonly username: string;
  /** A file is read for each connection. */
  readonly password: { readonly value: string } | { readonly file: string };
}

/** The block `audit` as the server uses it. */
export function createAuditConfig({ hub: _, ...audit }: Keys) {
  const { authentication: kafkaUser, ...kafka } = audit.kafka;
  const { authentication: natsUser, ...nats } = audit.nats;
  return {
    ...audit,
    /** A file without rotation grows; stdout and stderr are never rotated. */
    file: { ...audit.file, logRotation: withKey(audit.file.logRotation, 'maxFileSizeMB') },
    /** Connections without TLS are plaintext; without SASL, brokers are not told who the server is. */
    kafka: { ...kafka, tls: withKey(kafkaUser.tls, 'caPath'), sasl: createSasl(kafkaUser.sasl) },
    /** The scheme of the servers decides without TLS, with the CAs of the platform. */
    nats: { ...nats, credentialsPath: natsUser.credentialsPath, tls: withKey(natsUser.tls, 'caPath') },
    s3: withoutEmptyPath(audit.s3),
  };
}

/** A block that is on if one of its keys is set. */
function withKey<B extends object, K extends keyof B>(
  block: B,
  key: K,
): (Omit<B, K> & { readonly [key in K]: NonNullable<B[K]> }) | undefined {
  return block[key] === undefined ? undefined : (block as B & { [key in K]: NonNullable<B[K]> });
}

function createSasl({
  mechanism,
  username = '',
  password,
  passwordFile = '',
}: Keys['kafka']['authentication']['sasl']): KafkaSasl | undefined {
  if (mechanism === undefined) return undefined;
  return { mechanism, username, password: password === undefined ? { file: passwordFile } : { value: password } };
}

/** The audit log of a configuration without the block. */
export const AUDIT_DEFAULTS: AuditConfig = createAuditConfig(v.parse(auditKeys, blank(auditKeys)));
