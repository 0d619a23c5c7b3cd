import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { createServer as createHttp2Server, type Http2Server, type IncomingHttpHeaders, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import { createServer as createTlsServer } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ServerTls } from '../../tls/server-tls.js';
import { beginsWithHttp2 } from './preface.js';

/** One port for HTTP/1.1, for HTTP/2 and, in that, for gRPC (server.md 1.1). */
export interface HttpListener {
  /** What listens. It is the server of HTTP/1.1: connections that turn out to be of HTTP/2 go on to another, which does not listen. */
  readonly server: Server;
  /** Takes what has been waiting to be accepted, listens no more, and resolves when all connections have ended. */
  readonly close: () => Promise<void>;
  /** Closes the connections on which nothing is under way, and those that have not said anything for a while. To be called again until none is left. */
  readonly drain: () => void;
  /** Closes all connections, whatever is under way. */
  readonly closeAll: () => void;
}

/** How connections are treated; times in milliseconds, sizes in bytes. */
export interface ListenerOptions {
  readonly maxHeaderSize: number;
  readonly readTimeout: number;
  readonly readHeaderTimeout: number;
  readonly writeTimeout: number;
  readonly idleTimeout: number;
  /** 0: no limit. */
  readonly maxConcurrentStreams: number;
  /** After this time a connection of HTTP/2 is to be made anew; 0: never. */
  readonly maxConnectionAge: number;
  /** Without: plaintext. */
  readonly tls: ServerTls | undefined;
  readonly handleRequest: RequestListener;
  readonly handleGrpc: GrpcStreamHandler | undefined;
}

/** Answers one stream of HTTP/2 as gRPC. */
export type GrpcStreamHandler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

/**
 * Makes the listener; it does not listen yet. A connection is looked at once, when it begins: with TLS the client has said in the handshake
 * what it speaks (ALPN), without it the first bytes say so. From then on its server has the socket to itself, so a request of HTTP/1.1 costs
 * what it costs a server that speaks nothing else (bench: server), and `node:cluster` finds an ordinary server.
 */
export function httpListener(options: ListenerOptions): HttpListener {
  const { tls } = options;
  const http2 = http2Server(options);
  const server = tls === undefined ? plainServer(options, http2.server) : tlsServer(options, http2.server, tls);
  const sockets = new Map<Socket, number>();
  let accepted = 0;
  server.on('connection', (socket: Socket) => {
    accepted++;
    sockets.set(socket, performance.now());
    socket.once('close', () => sockets.delete(socket));
  });
  server.requestTimeout = options.readTimeout;
  server.keepAliveTimeout = options.idleTimeout;
  server.setTimeout(options.writeTimeout);
  return {
    server,
    close: async () => {
      await lull(() => accepted);
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
    drain: () => {
      const now = performance.now();
      for (const [socket, since] of sockets) if (socket.bytesRead === 0 && now - since > SILENCE) socket.destroy();
      for (const session of http2.sessions) session.close();
      server.closeIdleConnections();
    },
    closeAll: () => {
      for (const socket of sockets.keys()) socket.destroy();
    },
  };
}

/** Under load without end, the listener is closed after so many turns of the event loop. */
const MOST_TURNS = 1000;

/**
 * Resolves right after a turn of the event loop in which no connection came: the system has accepted connections on behalf of a listener before
 * the listener knows of them, and resets those that it has not taken when it closes.
 */
async function lull(accepted: () => number): Promise<void> {
  for (let turn = 0; turn < MOST_TURNS; turn++) {
    const before = accepted();
    await new Promise((resolve) => setImmediate(resolve));
    if (accepted() === before) return;
  }
}

/** Who has connected and says nothing for so many milliseconds has no request under way. */
const SILENCE = 250;

function plainServer(options: ListenerOptions, http2: Http2Server): Server {
  const server = createServer(http1Options(options), options.handleRequest);
  const http1 = takeListener<[Socket]>(server, 'connection');
  server.on('connection', (socket: Socket) => {
    beginsWithHttp2(socket, options.readHeaderTimeout, (isHttp2) => {
      if (isHttp2) http2.emit('connection', socket);
      else http1(socket);
    });
  });
  return server;
}

function tlsServer(options: ListenerOptions, http2: Http2Server, tls: ServerTls): Server {
  const security = { ...tls.options(), ALPNProtocols: ['h2', 'http/1.1'], handshakeTimeout: options.readHeaderTimeout };
  const server = createTlsServer({ ...http1Options(options), ...security }, options.handleRequest);
  const http1 = takeListener<[TLSSocket]>(server, 'secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    // Whoever is not welcome has been cut off by the guard.
    if (socket.destroyed) return;
    if (socket.alpnProtocol === 'h2') http2.emit('connection', socket);
    else http1(socket);
  });
  tls.guardHttp(server);
  return server;
}

/** How often requests that take too long to arrive are looked for, in milliseconds: no timeout is kept more exactly. */
const CHECK_INTERVAL = 1000;

function http1Options({ maxHeaderSize, readHeaderTimeout }: ListenerOptions): ServerOptions {
  return { maxHeaderSize, headersTimeout: readHeaderTimeout, connectionsCheckingInterval: CHECK_INTERVAL };
}

interface Http2 {
  readonly server: Http2Server;
  readonly sessions: ReadonlySet<ServerHttp2Session>;
}

function http2Server(options: ListenerOptions): Http2 {
  const { maxConcurrentStreams, maxHeaderSize, handleGrpc } = options;
  const settings = { maxHeaderListSize: maxHeaderSize, ...(maxConcurrentStreams > 0 && { maxConcurrentStreams }) };
  // The two kinds of requests differ in types alone, and only where nobody looks.
  const server = createHttp2Server({ settings }, options.handleRequest as unknown as Parameters<typeof createHttp2Server>[1]);
  const plain = takeListener<[ServerHttp2Stream, IncomingHttpHeaders, number, readonly string[]]>(server, 'stream');
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, flags: number, rawHeaders: readonly string[]) => {
    if (handleGrpc !== undefined && isGrpc(headers['content-type'])) {
      handleGrpc(stream, headers);
      return;
    }
    stream.setTimeout(options.readTimeout, () => stream.close());
    plain(stream, headers, flags, rawHeaders);
  });
  const sessions = new Set<ServerHttp2Session>();
  server.on('session', (session) => {
    sessions.add(session);
    session.setTimeout(options.idleTimeout, () => session.close());
    const age = options.maxConnectionAge === 0 ? undefined : setTimeout(() => session.close(), jittered(options.maxConnectionAge)).unref();
    session.once('close', () => {
      clearTimeout(age);
      sessions.delete(session);
    });
  });
  server.on('sessionError', () => {
    // The platform ends the session; what a client did wrong is nobody's concern here.
  });
  return { server, sessions };
}

/** gRPC-Web has answers of its own, over any version of HTTP. */
function isGrpc(contentType: string | undefined): boolean {
  return contentType?.includes('application/grpc') === true && !contentType.includes('application/grpc-web');
}

/** A tenth more or less: connections that were made together are not all made anew together. */
function jittered(age: number): number {
  return age * (0.9 + Math.random() * 0.2);
}

/** Takes away the one listener that a server of the platform has for its own event, and gives it as a function. */
function takeListener<Arguments extends readonly unknown[]>(server: Server | Http2Server, event: string): (...args: Arguments) => void {
  const listeners = server.listeners(event);
  server.removeAllListeners(event);
  return (...args) => {
    for (const listener of listeners) listener.apply(server, args);
  };
}
