import { createServer as createHttp2Server } from 'node:http2';
import type { Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { ServerTls } from '../../tls/server-tls.js';
import { type Deadlines, Http2Sessions, STREAM_WINDOW, type StreamHandler } from '../http2-sessions.js';
import { drained, Sockets } from '../sockets.js';

/** Handles the connections of the gRPC port. */
export interface GrpcListener {
  /** Serves a connection. */
  readonly take: (socket: Socket) => void;
  /**
   * Ends all connections and resolves when all calls in progress are answered, or after `patience` milliseconds. Do not
   * pass connections to it after calling this.
   */
  readonly stop: (patience: number) => Promise<void>;
}

/** How connections are treated; times in milliseconds. */
export interface GrpcListenerOptions extends Deadlines {
  /** 0: no limit. */
  readonly maxConcurrentStreams: number;
  /** 0: never. */
  readonly maxConnectionAge: number;
  /** How long a connection may take to complete the TLS handshake and send the HTTP/2 preface. */
  readonly connectionTimeout: number;
  /** Whether requests to a path are message streams that may stay open indefinitely. */
  readonly streamsRequest: (path: string) => boolean;
  /** If absent: plaintext. */
  readonly tls?: ServerTls | undefined;
}

/**
 * Serves connections with the handlers of a server of the library. That server does not listen itself: its credentials
 * can neither change certificates nor disconnect clients with a bad one, and when its sessions end, calls that are
 * already on their way are refused.
 */
export function grpcListener(handleStream: StreamHandler, options: GrpcListenerOptions): GrpcListener {
  const { maxConcurrentStreams, connectionTimeout, tls } = options;
  const http2 = createHttp2Server({
    settings: { initialWindowSize: STREAM_WINDOW, ...(maxConcurrentStreams > 0 && { maxConcurrentStreams }) },
    maxSendHeaderBlockLength: Number.MAX_SAFE_INTEGER,
  });
  const sockets = new Sockets();
  const sessions = new Http2Sessions(
    http2,
    { ...options, established: (socket) => sockets.established(socket) },
    handleStream,
  );
  const front = tls && tlsFront(tls, connectionTimeout, (socket) => sessions.take(socket));
  const take = (socket: Socket): void => {
    sockets.add(socket, connectionTimeout);
    if (front === undefined) sessions.take(socket);
    else front.emit('connection', socket);
  };
  const stop = async (patience: number): Promise<void> => {
    const drain = (): void => {
      sockets.closeSilent();
      sessions.end();
    };
    await drained(drain, sockets.gone(), patience, () => sockets.destroy());
    front?.close();
  };
  return { take, stop };
}

function tlsFront(
  tls: ServerTls,
  handshakeTimeout: number,
  welcome: (socket: TLSSocket) => void,
): ReturnType<typeof createTlsServer> {
  const front = createTlsServer({ ...tls.options(), ALPNProtocols: ['h2'], handshakeTimeout });
  tls.guard(front);
  // If a handshake fails or takes too long, the platform leaves the connection to the listener of the event.
  front.on('tlsClientError', (_error, socket) => socket.destroy());
  front.on('secureConnection', (socket: TLSSocket) => {
    // The client disconnected; the session learns of it from the end of the connection.
    socket.on('error', () => socket.destroy());
    if (!socket.destroyed) welcome(socket);
  });
  return front;
}
