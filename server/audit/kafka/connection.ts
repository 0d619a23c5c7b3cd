import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import {
  compressionsAlgorithms,
  type MessageToProduce,
  ProduceAcks,
  Producer,
  type ProducerOptions,
} from '@platformatic/kafka';
import type { KafkaAck, KafkaAuditConfig, KafkaCompression, KafkaTls } from '../../config/audit-config.js';
import { ConfigError } from '../../config/config-error.js';
import type { OnAuditProblem } from '../backend.js';
import { toSaslOptions } from './sasl.js';

export type KafkaMessage = MessageToProduce<Buffer, Buffer, Buffer, Buffer>;

/**
 * The client of the brokers. It connects with the first messages, so brokers that are away do not hold up the start.
 */
export class KafkaConnection {
  readonly #options: ProducerOptions<Buffer, Buffer, Buffer, Buffer>;
  #tls: ConnectionOptions | undefined;
  #producer: Producer;
  readonly #timer: NodeJS.Timeout | undefined;

  /** Throws a ConfigError for TLS files that cannot be read. */
  constructor(
    config: KafkaAuditConfig,
    private readonly onProblem: OnAuditProblem,
  ) {
    const { tls, sasl } = config;
    const compression = config.compression.find((name) => compressionsAlgorithms[name].available);
    this.#options = {
      clientId: config.clientID,
      bootstrapBrokers: [...config.brokers],
      acks: ACKS[config.ack],
      ...(compression === undefined || compression === 'none'
        ? {}
        : { compression: compression satisfies KafkaCompression }),
      retries: 3,
      retryDelay: 500,
      connectTimeout: 5000,
      timeout: 10_000,
      // The client's default means that a topic that moved is looked for every time.
      metadataMaxAge: 60_000,
      ...(sasl === undefined ? {} : { sasl: toSaslOptions(sasl) }),
    };
    this.#tls = tls === undefined ? undefined : readTls(tls);
    this.#producer = this.#connect();
    if (tls === undefined || tls.reloadInterval === 0) return;
    this.#timer = setInterval(() => this.#reload(tls), tls.reloadInterval);
    this.#timer.unref();
  }

  /** Resolves when the brokers have the messages, as far as `ack` asks. */
  async send(messages: KafkaMessage[]): Promise<void> {
    const { unwritableNodes = [] } = await this.#producer.send({ messages, acks: this.#options.acks as number });
    if (unwritableNodes.length > 0) throw new Error('a broker does not accept messages');
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await closed(this.#producer);
  }

  #connect(): Producer {
    return new Producer({ ...this.#options, ...(this.#tls === undefined ? {} : { tls: this.#tls }) });
  }

  /** Connections that use the old files close when they are idle. */
  #reload(files: KafkaTls): void {
    try {
      const tls = readTls(files);
      if (JSON.stringify(tls) === JSON.stringify(this.#tls)) return;
      const previous = this.#producer;
      this.#tls = tls;
      this.#producer = this.#connect();
      setTimeout(() => void closed(previous).catch(() => {}), RENEWAL_PATIENCE).unref();
    } catch (error) {
      this.onProblem(
        `the TLS files of the audit brokers could not be read again: ${(error as Error).message}`,
        error as Error,
      );
    }
  }
}

/** Selects the overload that returns a promise. */
function closed(producer: Producer): Promise<void> {
  return (producer.close as (force: boolean) => Promise<void>).call(producer, true);
}

/** Limit in milliseconds: longer than a message with all its attempts takes. */
const RENEWAL_PATIENCE = 60_000;

const ACKS: { readonly [A in KafkaAck]: number } = {
  none: ProduceAcks.NO_RESPONSE,
  leader: ProduceAcks.LEADER,
  all: ProduceAcks.ALL,
};

/**
 * The TLS settings of the connection to the brokers, as the files have them now. A ConfigError for a file that cannot
 * be read.
 */
export function readTls({ caPath, certPath, keyPath, insecureSkipVerify }: KafkaTls): ConnectionOptions {
  return {
    ca: read(caPath, 'caPath'),
    ...(certPath === undefined ? {} : { cert: read(certPath, 'certPath') }),
    ...(keyPath === undefined ? {} : { key: read(keyPath, 'keyPath') }),
    rejectUnauthorized: !insecureSkipVerify,
  };
}

function read(path: string, key: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new ConfigError((error as Error).message, `audit.kafka.authentication.tls.${key}`);
  }
}
