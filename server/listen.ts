import { chmodSync, rmSync } from 'node:fs';
import { lookup } from 'node:dns/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Address } from './config/address.js';
import { ConfigError } from './config/config-error.js';

/** The mode that sockets have anyway, and that is therefore not set (docs/spec/server.md#configuration). */
const DEFAULT_SOCKET_MODE = 0o766;

/** Where connections come in. */
export interface Door {
  /** The one that clients use: `127.0.0.1:3592`, `unix:/path`. */
  readonly address: string;
  /**
   * Takes what waits to be accepted and listens no more: from then on connections are refused. The file of a socket is
   * removed first, and then nobody can be lost; of a port, whoever connects in the very moment is reset by the system
   * (docs/operations.md).
   */
  readonly close: () => Promise<void>;
}

/** How a door is opened. */
export interface DoorOptions {
  readonly address: Address;
  /** What the configuration calls the address. */
  readonly key?: string;
  /** Of the file, when it is one. */
  readonly socketMode: number;
  /** Connections are handed on unread, as another process needs them. */
  readonly unread?: boolean;
  readonly welcome: (socket: Socket) => void;
}

/**
 * Listens on an address; all that this process accepts comes through here. Rejects with the platform's words when it
 * cannot, in a ConfigError when there is a key.
 */
export async function openDoor(options: DoorOptions): Promise<Door> {
  try {
    return await open(options);
  } catch (error) {
    throw options.key === undefined ? error : new ConfigError((error as Error).message, options.key);
  }
}

async function open({ address, socketMode, unread = false, welcome }: DoorOptions): Promise<Door> {
  const entry = new Entry(welcome);
  const newServer = (): Server =>
    createServer({ noDelay: true, pauseOnConnect: unread }, (socket) => entry.enter(socket));
  if (address.kind === 'unix') {
    const { path } = address;
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

/** Where connections are let in, or held back for a moment. */
class Entry {
  readonly #welcome: (socket: Socket) => void;
  #held: Socket[] | undefined;

  constructor(welcome: (socket: Socket) => void) {
    this.#welcome = welcome;
  }

  enter(socket: Socket): void {
    if (this.#held === undefined) this.#welcome(socket);
    else this.#held.push(socket);
  }

  hold(): void {
    this.#held ??= [];
  }

  /** How many are held back. */
  get held(): number {
    return this.#held?.length ?? 0;
  }

  release(): void {
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const socket of held) this.#welcome(socket);
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
    // Without a host, `::` takes IPv4 connections too; where there is no IPv6, the wildcard of IPv4 is left.
    const bound = await listen(newServer(), { host: '::', port }).catch(() =>
      listen(newServer(), { host: '0.0.0.0', port }),
    );
    return { servers: [bound.server], port: bound.port };
  }
  const first = await listen(newServer(), { host, port });
  if (host !== 'localhost') return { servers: [first.server], port: first.port };
  // It has an address of either kind, usually, and clients try either.
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
      // A connection that could not be accepted is its client's affair.
      server.on('error', () => {});
      const bound = server.address();
      const isPort = typeof bound === 'object' && bound !== null;
      resolve({ server, host: isPort ? bound.address : '', port: isPort ? bound.port : 0 });
    });
  });
}

/** A turn of the event loop that takes less, in milliseconds, leaves hardly any time to connect in. */
const SHORT_TURN = 0.05;
/** For so long, in milliseconds, such a turn is waited for; afterwards one in which nobody came will do. */
const SHORT_TURN_PATIENCE = 100;
/** Under load without end, it listens no more after so many milliseconds. */
const LONGEST = 500;

/**
 * The system accepts connections on behalf of a listener before the listener knows of them, and resets those that it
 * has not taken when it closes. So all are taken, and it is closed right after a turn of the event loop in which nobody
 * came, a short one if there is any. Meanwhile they are held back: clients that come again as soon as they are answered
 * would come for ever.
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
  // Its connections are their own: nobody waits for them here.
  for (const server of servers) server.close();
  entry.release();
}

function hostAndPort(host: string | undefined, port: number): string {
  if (host === undefined) return `localhost:${port}`;
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}
