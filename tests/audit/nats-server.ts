import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect as connectTcp } from 'node:net';
import { join } from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import { freePort } from '../support/free-port.js';
import { LAST_RESORT, until } from '../support/timeout.js';

/** Where Debian installs it. */
export const NATS_SERVER = '/usr/sbin/nats-server';
export const HAS_NATS = existsSync(NATS_SERVER);

export interface NatsServer {
  readonly port: number;
  /** Ends it at once; its store stays. */
  readonly stop: () => Promise<void>;
}

export interface NatsServerOptions {
  /** Of its store and its configuration. */
  readonly folder: string;
  readonly port?: number;
  /** Further lines of its configuration. */
  readonly config?: string;
}

/** A server of NATS with JetStream on loopback. Resolves when it accepts connections. */
export async function startNats({ folder, port, config = '' }: NatsServerOptions): Promise<NatsServer> {
  const taken = port ?? (await freePort());
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'nats.conf');
  writeFileSync(
    file,
    `listen: "127.0.0.1:${taken}"\njetstream { store_dir: ${JSON.stringify(folder)}, max_mem: 16M, max_file: 256M }\n${config}`,
  );
  const child = spawn(NATS_SERVER, ['-c', file], { stdio: 'ignore' });
  await until(() => {
    if (child.exitCode !== null) throw new Error('nats-server does not start');
    return accepts(taken);
  }, 'a connection to nats-server');
  return { port: taken, stop: () => ended(child) };
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return;
  const exited = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  await exited;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connectTcp({ port, host: '127.0.0.1' }, () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** Runs a function with a connection, and closes that. */
export async function withNats<T>(
  options: NodeConnectionOptions,
  run: (connection: NatsConnection) => Promise<T>,
): Promise<T> {
  const connection = await connect(options);
  try {
    return await run(connection);
  } finally {
    await connection.close();
  }
}

/** Creates the stream of audit entries. */
export async function addStream(connection: NatsConnection, changes: object = {}): Promise<void> {
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: 'AUDIT', subjects: ['authz.audit.>'], ...changes });
}

export interface StoredMessage {
  readonly subject: string;
  readonly text: string;
  readonly id: string | undefined;
}

/** All messages of the stream, in order. */
export async function readStream(connection: NatsConnection): Promise<readonly StoredMessage[]> {
  const manager = await jetstreamManager(connection);
  const { state } = await manager.streams.info('AUDIT');
  const messages: StoredMessage[] = [];
  if (state.messages === 0) return messages;
  const consumer = await jetstream(connection).consumers.get('AUDIT');
  const iterator = await consumer.fetch({ max_messages: state.messages, expires: LAST_RESORT });
  for await (const message of iterator)
    messages.push({ subject: message.subject, text: message.string(), id: message.headers?.get('Nats-Msg-Id') });
  return messages;
}
