import { BlockList, isIPv6 } from 'node:net';

/** The peers that may ask: networks in CIDR notation, or `unix` for Unix sockets. */
export class Peers {
  readonly #networks = new BlockList();
  readonly #hasUnix: boolean;

  constructor(networks: readonly string[]) {
    this.#hasUnix = networks.includes('unix');
    for (const network of networks) {
      if (network === 'unix') continue;
      const [address, prefix] = network.split('/') as [string, string];
      this.#networks.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4');
    }
  }

  /** @param peer `ip:port`, `[ip]:port`, or `@` for a Unix socket. */
  includes(peer: string): boolean {
    if (peer === '@') return this.#hasUnix;
    const ip = peer.slice(0, peer.lastIndexOf(':')).replace(/^\[|\]$/g, '');
    const [address] = ip.split('%', 1) as [string];
    return this.#networks.check(address, isIPv6(address) ? 'ipv6' : 'ipv4');
  }
}
