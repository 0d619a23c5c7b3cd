import type { sendUnaryData, ServerUnaryCall } from '@grpc/grpc-js';
import type { RequestContext } from '../../../proto/gen/messages.js';
import type { DecidingBundle } from '../../service/decider.js';
import type { Peer } from '../../service/call.js';
import { peerAddress } from '../peer-address.js';
import type { TransportCall } from '../transport-call.js';

/** A call received over gRPC, on either listener. */
export class GrpcCall implements TransportCall {
  id = '';
  trace: object | undefined = undefined;
  bundle: DecidingBundle | undefined = undefined;
  requestContext: RequestContext | undefined = undefined;
  readonly protocol = 'grpc';
  readonly timestamp = Date.now();
  readonly start = performance.now();
  #peer: Peer | undefined = undefined;
  #abandoned: AbortSignal | undefined = undefined;

  constructor(
    readonly method: string,
    readonly call: ServerUnaryCall<Buffer, Buffer>,
    /** Sends the response, or the error, of the library's call. */
    private readonly callback: sendUnaryData<Buffer>,
    /** The kind of transport security of the listener; empty for none. */
    readonly authInfo: string,
  ) {}

  /**
   * Sends the response, or the error, and lets the library's call go of the request and the connection: Node keeps
   * answered calls until old garbage is collected (docs/decisions/connections-and-limits.md#0155).
   */
  respond(error: Parameters<sendUnaryData<Buffer>>[0], message?: Buffer): void {
    this.callback(error, message);
    const answered: Answered = this.call;
    answered.request = undefined;
    answered.call = undefined;
  }

  peer(): Peer {
    this.#peer ??= this.#whoCalls();
    return this.#peer;
  }

  metadata(): ReadonlyMap<string, readonly string[]> {
    const entries = Object.entries(this.call.metadata.toJSON());
    return new Map(entries.map(([name, values]) => [name, values.map(decodeText)]));
  }

  header(name: string): string | undefined {
    const values = this.call.metadata.get(name);
    return values.length === 0 ? undefined : values.map(decodeText).join(', ');
  }

  host(): string {
    return this.call.getHost();
  }

  isEncrypted(): boolean {
    return this.authInfo !== '';
  }

  abandoned(): AbortSignal {
    this.#abandoned ??= this.#watchCaller();
    return this.#abandoned;
  }

  #watchCaller(): AbortSignal {
    const controller = new AbortController();
    if (this.call.cancelled) controller.abort();
    else this.call.once('cancelled', () => controller.abort());
    return controller.signal;
  }

  #whoCalls(): Peer {
    const { metadata } = this.call;
    const userAgent = metadata.get('user-agent').join('|');
    const forwardedFor = metadata.get('x-forwarded-for').join(', ');
    return { address: readAddress(this.call.getPeer()), authInfo: this.authInfo, userAgent, forwardedFor };
  }
}

/** What the library does not declare: nothing reads it once the response is sent. */
interface Answered {
  request: Buffer | undefined;
  call?: object | undefined;
}

/** The library joins address and port with a colon, whatever the address, and uses `unknown` for missing ones. */
function readAddress(peer: string): string {
  const colon = peer.lastIndexOf(':');
  return colon < 0 ? '@' : peerAddress(peer.slice(0, colon), Number(peer.slice(colon + 1)));
}

/** Binary values are kept in their encoded form. */
function decodeText(value: string | Buffer): string {
  return typeof value === 'string' ? value : value.toString('base64');
}
