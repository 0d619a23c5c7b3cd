/**
 * Where a listener listens (docs/spec/server.md#configuration): a TCP port, of one host or of all, or a Unix socket.
 */
export type Address =
  | { readonly kind: 'tcp'; readonly host: string | undefined; readonly port: number }
  | { readonly kind: 'unix'; readonly path: string };

/** Parses `host:port`, `:port`, `[::1]:port` or `unix:/path`; undefined for anything else. Port 0 is any free port. */
export function parseAddress(text: string): Address | undefined {
  if (text.startsWith('unix:')) {
    const path = text.slice('unix:'.length).replace(/^\/\/(?=\/)/, '');
    return path === '' ? undefined : { kind: 'unix', path };
  }
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^:[\]/\s]*)):(\d{1,5})$/.exec(text);
  if (match === null) return undefined;
  const port = Number(match[3]);
  if (port > 65_535) return undefined;
  const host = match[1] ?? match[2];
  return { kind: 'tcp', host: host === '' ? undefined : host, port };
}

/**
 * Whether the addresses of a server are equal, and so one listener: that of HTTP, which speaks gRPC too. Port 0 is
 * another free port each time.
 */
export function hasOneListener({
  httpListenAddr: http,
  grpcListenAddr: grpc,
}: {
  readonly httpListenAddr: Address;
  readonly grpcListenAddr: Address;
}): boolean {
  return writeAddress(http) === writeAddress(grpc) && !(http.kind === 'tcp' && http.port === 0);
}

/** An address as parseAddress reads it. */
export function writeAddress(address: Address): string {
  if (address.kind === 'unix') return `unix:${address.path}`;
  return `${address.host?.includes(':') === true ? `[${address.host}]` : (address.host ?? '')}:${address.port}`;
}
