import { chmodSync, rmSync } from 'node:fs';
import { lookup } from 'node:dns/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Address } from './config/address.js';
import { ConfigError } from './config/config-error.js';

/** The mode that sockets have by default, and that is therefore not set (docs/spec/server.md#configuration). */
const DEFAULT_SOCKET_MODE = 0o766;

/** A port or socket that accepts connections. */
export interface Listener {
  /** The address that clients use: `127.0.0.1:3592`, `unix:/path`. */
  readonly address: string;
  /**
   * Accepts the connections that the kernel has queued, then closes the listener: later connections are refused. The
   * file of a Unix socket is removed first, so no connection is lost; on a port, the kernel resets a connection that
   * arrives at that very moment (docs/operations.md).
   */
  readonly close: () => Promise<void>;
}

/** The options of a listener. */
export interface ListenerOptions {
  readonly address: Address;
  /** The configuration key of the address. */
  readonly key?: string;
  /** The mode of the socket file, for a Unix socket. */
  readonly socketMode: number;
  /** Connections are passed on unread, as another process requires. */
  readonly unread?: boolean;
  readonly onConnection: (socket: Socket) => void;
}

/**
 * Listens on an address; all connections that this process accepts go through here. Rejects with the platform's error
 * message if it cannot listen, in a ConfigError if there is a configuration key.
 */
export async function openListener(options: ListenerOptions): Promise<Listener> {
  try {
    return await open(options);
  } catch (error) {
    throw options.key === undefined
      ? error
      : new ConfigError(adviseOnListening(error as Error, options.key), options.key);
  }
}

/** The message of the platform and, for a port that another program has, how to choose another one. */
function adviseOnListening({ message, code }: NodeJS.ErrnoException, key: string): string {
  return code === 'EADDRINUSE' ? `${message}; stop the program that uses it, or add \`--set ${key}=:PORT\`` : message;
}

async function open({ address, socketMode, unread = false, onConnection }: ListenerOptions): Promise<Listener> {
  const entry = new Entry(onConnection);
  const newServer = (): Server =>
    createServer({ noDelay: true, pauseOnConnect: unread }, (socket) => entry.enter(socket));
  if (address.kind === 'unix') {
    const { path } = address;
    requireSocketPath(path);
    rmSync(path, { force: true });
    const { server } = await listen(newServer(), { path });
    if (socketMode !== DEFAULT_SOCKET_MODE) chmodSync(path, socketMode);
    const close = (): Promise<void> => {
      rmSync(path, { force: true });
      return stopListening([server], entry);
    };
    return { address: `unix:${path}`, close };
  }
  const { servers, port } = await listenOnAll(newServer, address);
  return { address: hostAndPort(address.host, port), close: () => stopListening(servers, entry) };
}

/** Requires a path that fits into the address of a socket: Node 20 cuts a longer one, and listens where no client looks. */
function requireSocketPath(path: string): void {
  const length = Buffer.byteLength(path);
  if (length > LONGEST_PATH)
    throw new Error(`the path of a socket has at most ${LONGEST_PATH} bytes, and this one has ${length}`);
}

/** The length of `sun_path` without the NUL at its end. */
const LONGEST_PATH = process.platform === 'linux' ? 107 : 103;

/** Passes connections on, or queues them for a moment. */
class Entry {
  readonly #onConnection: (socket: Socket) => void;
  #held: Socket[] | undefined;

  constructor(onConnection: (socket: Socket) => void) {
    this.#onConnection = onConnection;
  }

  enter(socket: Socket): void {
    if (this.#held === undefined) this.#onConnection(socket);
    else this.#held.push(socket);
  }

  hold(): void {
    this.#held ??= [];
  }

  /** How many connections are queued. */
  get held(): number {
    return this.#held?.length ?? 0;
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const socket of held) this.#onConnection(socket);
  }
}

interface Bound {
  readonly servers: readonly Server[];
  readonly port: number;
}

async function listenOnAll(
  newServer: () => Server,
  { host, port }: Extract<Address, { readonly kind: 'tcp' }>,
): Promise<Bound> {
  if (host === undefined) {
    // Without a host, `::` also accepts IPv4 connections; without IPv6, the IPv4 wildcard remains.
    const bound = await listen(newServer(), { host: '::', port }).catch(() =>
      listen(newServer(), { host: '0.0.0.0', port }),
    );
    return { servers: [bound.server], port: bound.port };
  }
  const first = await listen(newServer(), { host, port });
  if (host !== 'localhost') return { servers: [first.server], port: first.port };
  // A host usually has addresses of both kinds, and clients try both.
  const addresses = (await lookup(host, { all: true }))
    .map((found) => found.address)
    .filter((found) => found !== first.host);
  const others = await Promise.all(
    addresses.map((other) => listen(newServer(), { host: other, port: first.port }).catch(() => undefined)),
  );
  return {
    servers: [first, ...others].flatMap((bound) => (bound === undefined ? [] : [bound.server])),
    port: first.port,
  };
}

function listen(
  server: Server,
  where: { readonly host: string; readonly port: number } | { readonly path: string },
): Promise<{ readonly server: Server; readonly host: string; readonly port: number }> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ ...where }, () => {
      server.off('error', reject);
      // A connection that could not be accepted is a matter for its client.
      server.on('error', () => {});
      const bound = server.address();
      const isPort = typeof bound === 'object' && bound !== null;
      resolve({ server, host: isPort ? bound.address : '', port: isPort ? bound.port : 0 });
    });
  });
}

/** A turn of the event loop that takes less, in milliseconds, leaves hardly any time to connect in. */
const SHORT_TURN = 0.05;
/** How long to wait for a short turn, in milliseconds; after that, any turn without a new connection will do. */
const SHORT_TURN_PATIENCE = 100;
/** Milliseconds after which the listener closes under constant load. */
const LONGEST = 500;

/**
 * The kernel accepts connections before the process sees them, and resets those that are still queued when the listener
 * closes. So all queued connections are accepted first, and the listener closes right after a turn of the event loop
 * without a new one, preferably a short turn. Meanwhile the connections are queued: clients that reconnect as soon as
 * they get a response would otherwise keep this from ending.
 */
async function stopListening(servers: readonly Server[], entry: Entry): Promise<void> {
  entry.hold();
  const start = performance.now();
  for (let now = start; now - start < LONGEST; ) {
    const before = entry.held;
    const since = now;
    await new Promise((resolve) => setImmediate(resolve));
    now = performance.now();
    if (entry.held === before && (now - since < SHORT_TURN || now - start > SHORT_TURN_PATIENCE)) break;
  }
  // This does not wait for connections to end.
  for (const server of servers) server.close();
  entry.release();
}

function hostAndPort(host: string | undefined, port: number): string {
  if (host === undefined) return `localhost:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
