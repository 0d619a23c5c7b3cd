/** `ip:port` as an access entry has it (docs/spec/server.md#peer); `@` for a Unix socket, which has no address. */
export function peerAddress(ip: string | undefined, port: number | undefined): string {
  if (ip === undefined) return '@';
  const host = peerIp(ip);
  return host.includes(':') ? `[${host}]:${port ?? 0}` : `${host}:${port ?? 0}`;
}

/** An IPv4 address that came in by a listener for both kinds is written as one. */
export function peerIp(ip: string): string {
  return ip.startsWith('::ffff:') && ip.includes('.') ? ip.slice('::ffff:'.length) : ip;
}
