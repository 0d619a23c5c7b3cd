import { createServer, type Server } from 'node:net';
import type { Config } from '../config.js';
import type { Address } from '../config/address.js';

/**
 * A configuration whose free ports (port 0) are chosen: the listeners live as long as some worker does, and when all die at once the next ones have to
 * find the same ports again. Ports that cannot be had are left to the workers to complain of.
 */
export async function fixPorts(config: Config): Promise<Config> {
  const held: Server[] = [];
  const { server } = config;
  const httpListenAddr = await fixed(server.httpListenAddr, held);
  const grpcListenAddr = await fixed(server.grpcListenAddr, held);
  await Promise.all(held.map((holder) => new Promise((resolve) => holder.close(resolve))));
  return { ...config, server: { ...server, httpListenAddr, grpcListenAddr } };
}

/** The one that is held until both are chosen cannot be chosen twice. */
async function fixed(address: Address, held: Server[]): Promise<Address> {
  if (address.kind !== 'tcp' || address.port !== 0) return address;
  const holder = createServer();
  const port = await new Promise<number>((resolve) => {
    holder.once('error', () => resolve(0));
    holder.listen({ port: 0, ...(address.host !== undefined && { host: address.host }) }, () => {
      held.push(holder);
      const bound = holder.address();
      resolve(typeof bound === 'object' && bound !== null ? bound.port : 0);
    });
  });
  return { ...address, port };
}
