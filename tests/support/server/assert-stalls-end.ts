import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { NetConnectOpts, Socket } from 'node:net';
import { join } from 'node:path';
import { until } from '../timeout.js';
import { type Addresses, WellBehavedClients } from './well-behaved-clients.js';
import type { Stall, Target } from './stalling-clients.js';

/** A server whose clients stall. */
export interface Stalled extends Addresses {
  /** Of all its processes. */
  readonly pids: readonly number[];
}

/** Waits for a number of sockets, which takes long to count. */
export function untilSockets(served: Stalled, isRight: (count: number) => boolean, what: string): Promise<void> {
  return until(() => isRight(socketsOf(served)), what, 100);
}

/** The number of sockets at its two addresses that the processes of a server have open, including listening ones. */
export function socketsOf({ pids, http, grpc }: Stalled): number {
  const addresses = [http, grpc];
  const ports = addresses.map((address) => Number(address.split(':')[1])).filter((port) => port > 0);
  const paths = addresses
    .filter((address) => address.startsWith('unix:'))
    .map((address) => address.slice('unix:'.length));
  const known = new Set([
    ...table('tcp').flatMap((fields) =>
      ports.includes(Number.parseInt(fields[1]?.split(':')[1] ?? '', 16)) ? [fields[9]] : [],
    ),
    ...table('unix').flatMap((fields) => (paths.includes(fields[7] ?? '') ? [fields[6]] : [])),
  ]);
  return pids
    .flatMap((pid) => linksOf(`/proc/${pid}/fd`))
    .filter((link) => known.has(/^socket:\[(\d+)\]$/.exec(link)?.[1])).length;
}

/** The targets of the links in a folder. */
function linksOf(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    try {
      return [readlinkSync(join(folder, name))];
    } catch {
      // It was closed meanwhile.
      return [];
    }
  });
}

function table(name: 'tcp' | 'unix'): readonly (readonly string[])[] {
  return readFileSync(`/proc/net/${name}`, 'utf8')
    .split('\n')
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
}

function optionsOf(address: string): NetConnectOpts {
  if (address.startsWith('unix:')) return { path: address.slice('unix:'.length) };
  const [host = '', port] = address.split(':');
  return { host, port: Number(port) };
}

export function targetsOf({ http, grpc }: Addresses, isTls: boolean): readonly Target[] {
  return [
    { port: 'http', isTls, address: optionsOf(http) },
    { port: 'grpc', isTls, address: optionsOf(grpc) },
  ];
}

/**
 * Opens connections of all kinds next to well-behaved clients, and returns their number. Rejects when the server keeps
 * one of them open, or affects a well-behaved client.
 * @param certificate the certificate of the server; undefined: plaintext.
 * @param count connections of each kind.
 */
export async function assertStallsEnd(
  served: Stalled,
  certificate: string | undefined,
  stalls: readonly Stall[],
  count: number,
): Promise<number> {
  const isTls = certificate !== undefined;
  const before = socketsOf(served);
  const good = new WellBehavedClients(served, certificate);
  const kept = before + WellBehavedClients.CONNECTIONS;
  await untilSockets(served, (count) => count === kept, 'the good clients are connected');
  const clients: { readonly name: string; readonly socket: Socket }[] = [];
  for (const target of targetsOf(served, isTls)) {
    for (const stall of stalls.filter(({ on }) => on(target))) {
      const opened = await Promise.all(Array.from({ length: count }, () => stall.open(target)));
      clients.push(...opened.map((socket) => ({ name: `${stall.name}, port ${target.port}`, socket })));
    }
  }
  try {
    await untilSockets(served, (count) => count <= kept, 'the server has closed all connections that stall').catch(
      (error: Error) => {
        const open = clients.filter(({ socket }) => !socket.readableEnded && !socket.destroyed).map(({ name }) => name);
        throw new Error(
          `${error.message}: ${socketsOf(served) - kept} are still open, perhaps ${[...new Set(open)].join('; ')}`,
        );
      },
    );
    await good.leave();
    await untilSockets(served, (count) => count === before, 'the sockets of well-behaved clients to close');
  } finally {
    good.close();
    for (const { socket } of clients) socket.destroy();
  }
  return clients.length;
}
