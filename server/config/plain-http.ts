/** Whether a URL leads to another machine without TLS: others on the way can read and replace what is sent. */
export function isPlainHttp(url: URL): boolean {
  return url.protocol === 'http:' && !isLoopback(url);
}

/** Whether a host, with a port or without, is this machine. */
export function isLoopbackHost(host: string): boolean {
  const url = `http://${host}`;
  return URL.canParse(url) && isLoopback(new URL(url));
}

/** Whether a URL leads to this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}
