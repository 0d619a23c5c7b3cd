import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import type { RequestContext } from '../../../proto/gen/messages.js';
import type { DecidingBundle } from '../../service/decider.js';
import type { Caller } from '../../service/foreign-page.js';
import type { Peer, Protocol } from '../../service/call.js';
import { peerAddress, peerIp } from '../peer-address.js';
import type { TransportCall } from '../transport-call.js';
import type { Timeout } from './deadline.js';

/** A call received by the HTTP listener. */
export class HttpCall implements TransportCall {
  id = '';
  trace: object | undefined = undefined;
  bundle: DecidingBundle | undefined = undefined;
  requestContext: RequestContext | undefined = undefined;
  /** The time that the caller is willing to wait, once the headers are read. */
  timeout: Timeout = undefined;
  readonly timestamp = Date.now();
  readonly start = performance.now();
  #peer: Peer | undefined = undefined;
  #abandoned: AbortSignal | undefined = undefined;

  constructor(
    readonly method: string,
    readonly protocol: Protocol,
    readonly request: IncomingMessage,
    readonly response: ServerResponse,
  ) {}

  peer(): Peer {
    this.#peer ??= this.#whoCalls();
    return this.#peer;
  }

  metadata(): ReadonlyMap<string, readonly string[]> {
    const { rawHeaders } = this.request;
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

  header(name: string): string | undefined {
    // The platform joins repeated headers.
    return this.request.headers[name] as string | undefined;
  }

  host(): string {
    return readHost(this.request);
  }

  isEncrypted(): boolean {
    // HTTP/2 provides a stand-in for the socket, which has this too.
    return (this.request.socket as TLSSocket).encrypted === true;
  }

  abandoned(): AbortSignal {
    this.#abandoned ??= this.#watchCaller();
    return this.#abandoned;
  }

  #watchCaller(): AbortSignal {
    const { response } = this;
    const controller = new AbortController();
    const close = (): void => {
      if (!response.writableFinished) controller.abort();
    };
    if (response.closed || response.destroyed) close();
    else response.once('close', close);
    return controller.signal;
  }

  #whoCalls(): Peer {
    const { socket, headers } = this.request;
    const ip = socket.remoteAddress;
    // Only gRPC calls record the kind of transport security.
    return {
      address: peerAddress(ip, socket.remotePort),
      authInfo: '',
      userAgent: headers['user-agent'] ?? '',
      // The platform joins repeated headers.
      forwardedFor: forwardedFor(headers['x-forwarded-for'] as string | undefined, ip),
    };
  }
}

/** The headers of a request by which its caller is authenticated. */
export function readCaller(request: IncomingMessage): Caller {
  // The platform joins repeated headers.
  return { header: (name) => request.headers[name] as string | undefined, host: () => readHost(request) };
}

function readHost({ headers }: IncomingMessage): string {
  return headers.host ?? String(headers[':authority'] ?? '');
}

/** The addresses that proxies have added, then the one that the call comes from. */
function forwardedFor(sent: string | undefined, ip: string | undefined): string {
  if (ip === undefined) return sent ?? '';
  // Joined, not concatenated, for JSON (docs/decisions/engine-and-generated-code.md#0043).
  return sent === undefined ? peerIp(ip) : [sent, peerIp(ip)].join(', ');
}

/** Headers that describe the connection or the body, not the call (docs/spec/server.md#metadata). */
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
