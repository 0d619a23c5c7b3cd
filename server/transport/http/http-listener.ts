import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import {
  createServer as createHttp2Server,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ServerTls } from '../../tls/server-tls.js';
import { type Deadlines, Http2Sessions } from '../http2-sessions.js';
import { Sockets } from '../sockets.js';
import { Http1Answers } from './http1-answers.js';

/** One port for HTTP/1.1, for HTTP/2 and, in that, for gRPC (docs/spec/server.md#endpoints). */
export interface HttpListener {
  /**
   * The server of HTTP/1.1: connections that turn out to be of HTTP/2 go on to another. Neither listens: connections
   * come from elsewhere.
   */
  readonly server: Server;
  /** Serves a connection. */
  readonly take: (socket: Socket) => void;
  /** Resolves when all connections have ended; none is given to it any more. */
  readonly close: () => Promise<void>;
  /**
   * Closes the connections on which nothing is under way, and those that have not said anything for a while. To be
   * called again until none is left.
   */
  readonly drain: () => void;
  /** Closes all connections, whatever is under way. */
  readonly closeAll: () => void;
}

/** How connections are treated; times in milliseconds, sizes in bytes. */
export interface ListenerOptions extends Deadlines {
  readonly maxHeaderSize: number;
  /** 0: no limit. */
  readonly maxConcurrentStreams: number;
  /** After this time a connection of HTTP/2 is to be made anew; 0: never. */
  readonly maxConnectionAge: number;
  /** Without: plaintext. */
  readonly tls: ServerTls | undefined;
  readonly handleRequest: RequestListener;
  readonly handleGrpc: GrpcStreamHandler | undefined;
  /** Whether the request to a path is a stream of messages that need not end. */
  readonly streamsRequest: (path: string) => boolean;
}

/** Answers one stream of HTTP/2 as gRPC. */
export type GrpcStreamHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/**
 * Makes the listener. A connection is looked at once, when it begins: with TLS the client has said in the handshake
 * what it speaks (ALPN), without it the first bytes say so. From then on its server has the socket to itself, so a
 * request of HTTP/1.1 costs what it costs a server that speaks nothing else (bench: server).
 */
export function httpListener(options: ListenerOptions): HttpListener {
  const { tls } = options;
  const sockets = new Sockets();
  const sessions = new Http2Sessions(http2Server(options), {
    ...options,
    established: (socket) => sockets.established(socket),
  });
  const parts: Parts = { sessions, sockets, answers: new Http1Answers(options.writeTimeout) };
  const server = tls === undefined ? plainServer(options, parts) : tlsServer(options, parts, tls);
  server.requestTimeout = options.readTimeout;
  server.keepAliveTimeout = options.idleTimeout;
  // What the platform does for a server that begins to listen: from now on it knows which of its connections are idle,
  // and which take too long.
  server.emit('listening');
  return {
    server,
    take: (socket) => {
      sockets.add(socket, options.readHeaderTimeout);
      // As the server of HTTP/1.1 would make its own: who has said all that it wants to say is still answered.
      if (tls === undefined) socket.allowHalfOpen = true;
      server.emit('connection', socket);
    },
    close: async () => {
      await sockets.gone();
      server.close();
    },
    drain: () => {
      sockets.closeSilent();
      sessions.end();
      server.closeIdleConnections();
    },
    closeAll: () => sockets.destroy(),
  };
}

/** What a connection is told to. */
interface Parts {
  readonly sessions: Http2Sessions;
  readonly sockets: Sockets;
  readonly answers: Http1Answers;
}

function plainServer(options: ListenerOptions, { sessions, sockets, answers }: Parts): Server {
  const server = createServer(http1Options(options), following(answers, options.handleRequest));
  const http1 = takeListener<[Socket]>(server, 'connection');
  server.on('connection', (socket: Socket) => {
    beginsWithHttp2(socket, (isHttp2) => {
      if (isHttp2) {
        sessions.take(socket);
        return;
      }
      // From here on the platform has the deadlines of requests.
      sockets.established(socket);
      answers.follow(socket);
      http1(socket);
    });
  });
  return server;
}

function tlsServer(options: ListenerOptions, { sessions, sockets, answers }: Parts, tls: ServerTls): Server {
  const security = { ...tls.options(), ALPNProtocols: ['h2', 'http/1.1'], handshakeTimeout: options.readHeaderTimeout };
  const server = createTlsServer({ ...http1Options(options), ...security }, following(answers, options.handleRequest));
  const http1 = takeListener<[TLSSocket]>(server, 'secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    // Whoever is not welcome has been cut off by the guard.
    if (socket.destroyed) return;
    if (socket.alpnProtocol === 'h2') {
      sessions.take(socket);
      return;
    }
    sockets.established(socket);
    answers.follow(socket);
    http1(socket);
  });
  // Without TLS there is nobody to answer.
  server.prependListener('tlsClientError', (_error, socket) => socket.destroy());
  tls.guardHttp(server);
  return server;
}

function following(answers: Http1Answers, handleRequest: RequestListener): RequestListener {
  return (request, response) => {
    answers.begin(request.socket, response);
    handleRequest(request, response);
  };
}

/** How often requests that take too long to arrive are looked for, in milliseconds: no timeout is kept more exactly. */
const CHECK_INTERVAL = 1000;

function http1Options({ maxHeaderSize, readHeaderTimeout }: ListenerOptions): ServerOptions {
  return { maxHeaderSize, headersTimeout: readHeaderTimeout, connectionsCheckingInterval: CHECK_INTERVAL };
}

function http2Server(options: ListenerOptions): Http2Server {
  const { maxConcurrentStreams, maxHeaderSize, handleGrpc } = options;
  const settings = { maxHeaderListSize: maxHeaderSize, ...(maxConcurrentStreams > 0 && { maxConcurrentStreams }) };
  // The two kinds of requests differ in types alone, and only where nobody looks.
  const server = createHttp2Server(
    { settings },
    options.handleRequest as unknown as Parameters<typeof createHttp2Server>[1],
  );
  const plain = takeListener<[ServerHttp2Stream, IncomingHttpHeaders, number, readonly string[]]>(server, 'stream');
  server.on(
    'stream',
    (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: readonly string[]) => {
      if (handleGrpc !== undefined && isGrpc(headers['content-type'])) {
        handleGrpc(stream, headers);
        return;
      }
      plain(stream, headers, flags, rawHeaders);
    },
  );
  return server;
}

/** gRPC-Web has answers of its own, over any version of HTTP. */
function isGrpc(contentType: string | undefined): boolean {
  return contentType?.includes('application/grpc') === true && !contentType.includes('application/grpc-web');
}

/** Takes away the one listener that a server of the platform has for its own event, and gives it as a function. */
function takeListener<Arguments extends readonly unknown[]>(
  server: Server | Http2Server,
  event: string,
): (...args: Arguments) => void {
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  return (...args) => {
    for (const listener of listeners) listener.apply(server, args);
  };
}

/** What a client that knows it speaks HTTP/2 begins with; no method of HTTP/1.1 begins so. */
const PREFACE = Buffer.from('PRI');

/**
 * Looks at the first bytes of a connection and says whether they are of HTTP/2. The bytes are put back before `decided`
 * is called, which has to hand the socket on at once.
 */
function beginsWithHttp2(socket: Socket, decided: (isHttp2: boolean) => void): void {
  let seen: Buffer = Buffer.alloc(0);
  const onData = (chunk: Buffer): void => {
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, PREFACE.length);
    const isPrefix = seen.subarray(0, length).equals(PREFACE.subarray(0, length));
    if (isPrefix && length < PREFACE.length) return;
    socket.off('data', onData);
    socket.off('error', onError);
    socket.pause();
    socket.unshift(seen);
    decided(isPrefix);
    if (!isPrefix) socket.resume();
  };
  const onError = (): void => {
    socket.destroy();
  };
  socket.on('error', onError);
  socket.on('data', onData);
}
