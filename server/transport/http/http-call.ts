import type { IncomingMessage } from 'node:http';
import type { RequestContext } from '../../../proto/messages.js';
import type { Peer, Protocol } from '../../service/call.js';
import { peerAddress, peerIp } from '../peer-address.js';
import type { TransportCall } from '../transport-call.js';

/** A call that came in by the HTTP listener. */
export class HttpCall implements TransportCall {
  id = '';
  requestContext: RequestContext | undefined = undefined;
  readonly timestamp = Date.now();
  readonly start = performance.now();
  readonly #request: IncomingMessage;

  constructor(
    readonly method: string,
    readonly protocol: Protocol,
    request: IncomingMessage,
  ) {
    this.#request = request;
  }

  peer(): Peer {
    const { socket } = this.#request;
    const metadata = this.metadata();
    const forwarded = [...(metadata.get('x-forwarded-for') ?? [])];
    if (socket.remoteAddress !== undefined) forwarded.push(peerIp(socket.remoteAddress));
    return {
      address: peerAddress(socket.remoteAddress, socket.remotePort),
      // The kind of transport security is an entry of gRPC calls alone.
      authInfo: '',
      userAgent: (metadata.get('user-agent') ?? []).join('|'),
      forwardedFor: forwarded.join(', '),
    };
  }

  metadata(): ReadonlyMap<string, readonly string[]> {
    const { rawHeaders } = this.#request;
    const metadata = new Map<string, string[]>();
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      const name = (rawHeaders[index] as string).toLowerCase();
      if (name.startsWith(':') || OF_THE_CONNECTION.has(name)) continue;
      const values = metadata.get(name);
      if (values === undefined) metadata.set(name, [rawHeaders[index + 1] as string]);
      else values.push(rawHeaders[index + 1] as string);
    }
    return metadata;
  }

  host(): string {
    const { headers } = this.#request;
    return headers.host ?? String(headers[':authority'] ?? '');
  }
}

/** Headers that say something of the connection or the body, not of the call (server.md 4.4). */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
  'host',
  'content-length',
  'connection',
  'keep-alive',
  'proxy-connection',
  'transfer-encoding',
  'te',
  'trailer',
  'upgrade',
  'http2-settings',
  'expect',
]);
