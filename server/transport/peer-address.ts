/** `ip:port` as in an access log entry (docs/spec/server.md#peer); `@` for a Unix socket, which has no address. */
export function peerAddress(ip: string | undefined, port: number | undefined): string {
  if (ip === undefined) return '@';
  const host = peerIp(ip);
  const parts = host.includes(':') ? ['[', host, ']:', port ?? 0] : [host, ':', port ?? 0];
  // Joined, not concatenated, for JSON (docs/decisions/engine-and-generated-code.md#0043).
  return parts.join('');
}

/** An IPv4 address received by a dual-stack listener is written in IPv4 form. */
export function peerIp(ip: string): string {
  if (!ip.startsWith('::ffff:') || !ip.includes('.')) return ip;
  // Joined again, as a part of a text slows JSON down like a concatenation.
  return ip.slice('::ffff:'.length).split('.').join('.');
}
