import { readFileSync } from 'node:fs';
import { jetstream, type JetStreamClient } from '@nats-io/jetstream';
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
  tokenAuthenticator,
  usernamePasswordAuthenticator,
} from '@nats-io/transport-node';
import type { NatsAuditConfig, NatsTls } from '../../config/audit-config.js';
import { ConfigError } from '../../config/config-error.js';

/** A connection to NATS with its JetStream client. */
export interface JetStreamConnection {
  readonly client: JetStreamClient;
  /** The longest message that the server takes, in bytes. */
  readonly maxPayload: number;
}

/**
 * The connection to the servers. It is made with the first entries, so servers that are away do not hold up the start,
 * and again whenever it breaks.
 */
export class NatsLink {
  readonly #options: NodeConnectionOptions;
  #connection: Promise<NatsConnection> | undefined;

  /** Throws a ConfigError for files that cannot be read. */
  constructor(
    private readonly config: NatsAuditConfig,
    environment: { readonly [name: string]: string | undefined } = process.env,
  ) {
    const authenticator = chooseAuthenticator(config, environment);
    this.#options = {
      servers: [...config.servers],
      name: 'authz',
      maxReconnectAttempts: -1,
      reconnectTimeWait: 500,
      timeout: config.publishTimeout,
      // Credentials may be replaced while the server runs.
      ignoreAuthErrorAbort: true,
      ...(authenticator === undefined ? {} : { authenticator }),
      ...(config.tls === undefined ? {} : { tls: readTls(config.tls) }),
    };
  }

  /** Connects if there is no connection. Rejects if no server accepts one; the next call tries again. */
  async open(): Promise<JetStreamConnection> {
    this.#connection ??= connect(this.#options);
    try {
      const connection = await this.#connection;
      const client = jetstream(connection, { timeout: this.config.publishTimeout });
      return { client, maxPayload: connection.info?.max_payload ?? Number.POSITIVE_INFINITY };
    } catch (error) {
      this.#connection = undefined;
      throw error;
    }
  }

  async close(): Promise<void> {
    const connection = await this.#connection?.catch(() => undefined);
    await connection?.close();
  }
}

/**
 * The credentials file of the configuration, or else what the environment has. Files are read for each connection.
 */
function chooseAuthenticator(
  { credentialsPath }: NatsAuditConfig,
  environment: { readonly [name: string]: string | undefined },
): Authenticator | undefined {
  const path = credentialsPath ?? environment['NATS_CREDS'];
  if (path !== undefined) {
    read(path, 'audit.nats.authentication.credentialsPath');
    return (nonce) => credsAuthenticator(readCreds(path))(nonce);
  }
  const { NATS_USER: user, NATS_PASSWORD: password, NATS_TOKEN: token } = environment;
  if (user !== undefined) return usernamePasswordAuthenticator(user, password);
  return token === undefined ? undefined : tokenAuthenticator(token);
}

/** A credentials file with the only line ends that the client reads. */
export function readCreds(path: string): Uint8Array {
  return Buffer.from(readFileSync(path, 'utf8').replaceAll('\r\n', '\n'));
}

function readTls({ caPath, certPath, keyPath }: NatsTls): NonNullable<NodeConnectionOptions['tls']> {
  const files = { caFile: caPath, certFile: certPath, keyFile: keyPath };
  read(caPath, 'audit.nats.authentication.tls.caPath');
  if (certPath !== undefined) read(certPath, 'audit.nats.authentication.tls.certPath');
  if (keyPath !== undefined) read(keyPath, 'audit.nats.authentication.tls.keyPath');
  return Object.fromEntries(Object.entries(files).filter(([, file]) => file !== undefined));
}

function read(path: string, key: string): void {
  try {
    readFileSync(path);
  } catch (error) {
    throw new ConfigError((error as Error).message, key);
  }
}
