import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { ServerTls } from '../../tls/server-tls.js';
import type { GrpcStreams } from '../grpc-streams.js';
import type { Deadlines, Http2Sessions } from '../http2-sessions.js';
import { OnDemand } from '../on-demand.js';
import { Sockets } from '../sockets.js';
import { answerClientError, refuseRequest } from './client-error.js';
import { Http1Answers } from './http1-answers.js';
import { takeListener } from './take-listener.js';

/** One port for HTTP/1.1, HTTP/2 and gRPC over HTTP/2 (docs/spec/server.md#endpoints). */
export interface HttpListener {
  /**
   * The HTTP/1.1 server; HTTP/2 connections are passed on to another server. Neither listens: connections come from
   * elsewhere.
   */
  readonly server: Server;
  /** Serves a connection. */
  readonly take: (socket: Socket) => void;
  /** Resolves when all connections have ended. Do not pass connections to it after calling this. */
  readonly close: () => Promise<void>;
  /** Closes idle connections, and those that have been silent for a while. To be called again until none remain. */
  readonly drain: () => void;
  /** Closes all connections, including those with calls in progress. */
  readonly closeAll: () => void;
}

/** How connections are treated; times in milliseconds, sizes in bytes. */
export interface ListenerOptions extends Deadlines {
  readonly maxHeaderSize: number;
  /** 0: no limit. */
  readonly maxConcurrentStreams: number;
  /** HTTP/2 connections are to be renewed after this time; 0: never. */
  readonly maxConnectionAge: number;
  /** If absent: plaintext. */
  readonly tls: ServerTls | undefined;
  readonly handleRequest: RequestListener;
  /** Loads what answers gRPC requests over HTTP/2, once. If absent: they are requests like others. */
  readonly grpc: (() => Promise<GrpcStreams>) | undefined;
  /** Called if HTTP/2 cannot be served. */
  readonly failed: (error: unknown) => void;
}

/**
 * Creates the listener. A connection is inspected once, when it begins: with TLS, the client has selected the protocol
 * in the handshake (ALPN); without TLS, the first bytes show it. From then on its server owns the socket, so an
 * HTTP/1.1 request costs the same as on a server without HTTP/2 (bench: server).
 */
export function httpListener(options: ListenerOptions): HttpListener {
  const { tls } = options;
  const sockets = new Sockets();
  const sessions = new OnDemand(async () => {
    const [{ createHttp2Sessions }, grpc] = await Promise.all([import('./http2-listener.js'), options.grpc?.()]);
    return createHttp2Sessions({ ...options, grpc, established: (socket) => sockets.established(socket) });
  }, options.failed);
  const parts: Parts = { sessions, sockets, answers: new Http1Answers(options.writeTimeout) };
  const server = tls === undefined ? plainServer(options, parts) : tlsServer(options, parts, tls);
  server.requestTimeout = options.readTimeout;
  server.keepAliveTimeout = options.idleTimeout;
  server.on('clientError', answerClientError);
  // What the platform does when a server begins to listen: from now on it tracks which connections are idle and which
  // take too long.
  server.emit('listening');
  return {
    server,
    take: (socket) => {
      sockets.add(socket, options.readHeaderTimeout);
      // The same setting that the HTTP/1.1 server uses for its own sockets: a client that has closed its side still
      // gets a response.
      if (tls === undefined) socket.allowHalfOpen = true;
      server.emit('connection', socket);
    },
    close: async () => {
      await sockets.gone();
      server.close();
    },
    drain: () => {
      sockets.closeSilent();
      sessions.loaded?.end();
      server.closeIdleConnections();
    },
    closeAll: () => sockets.destroy(),
  };
}

/** The components that track a connection. */
interface Parts {
  readonly sessions: OnDemand<Http2Sessions>;
  readonly sockets: Sockets;
  readonly answers: Http1Answers;
}

function plainServer(options: ListenerOptions, { sessions, sockets, answers }: Parts): Server {
  const server = createServer(http1Options(options), following(answers, options.handleRequest));
  const http1 = takeListener<[Socket]>(server, 'connection');
  server.on('connection', (socket: Socket) => {
    beginsWithHttp2(socket, (isHttp2) => {
      if (isHttp2) {
        // When the client closes its side, its calls end at once, and not when they have used up their time.
        socket.allowHalfOpen = false;
        sessions.take(socket);
        return;
      }
      // From here on the platform enforces the deadlines of requests.
      sockets.established(socket);
      answers.follow(socket);
      http1(socket);
    });
  });
  return server;
}

function tlsServer(options: ListenerOptions, { sessions, sockets, answers }: Parts, tls: ServerTls): Server {
  const security = { ...tls.options(), ALPNProtocols: ['h2', 'http/1.1'], handshakeTimeout: options.readHeaderTimeout };
  const server = tls.createHttpsServer(
    { ...http1Options(options), ...security },
    following(answers, options.handleRequest),
  );
  const http1 = takeListener<[TLSSocket]>(server, 'secureConnection');
  server.on('secureConnection', (socket: TLSSocket) => {
    // The guard has already cut off rejected clients.
    if (socket.destroyed) return;
    if (socket.alpnProtocol === 'h2') {
      sessions.take(socket);
      return;
    }
    sockets.established(socket);
    answers.follow(socket);
    http1(socket);
  });
  // Without a TLS session, no response can be sent.
  server.prependListener('tlsClientError', (_error, socket) => socket.destroy());
  tls.guardHttp(server);
  return server;
}

function following(answers: Http1Answers, handleRequest: RequestListener): RequestListener {
  return (request, response) => {
    answers.begin(request.socket, response);
    if (isUnambiguous(request.rawHeaders)) handleRequest(request, response);
    else refuseRequest(response);
  };
}

/**
 * Whether other parsers read the same host and body: the platform takes the first of several hosts, another proxy the
 * last, and it reads any coding before `chunked` as none (RFC 9112, sections 3.2 and 6.1). The platform refuses requests
 * of HTTP/1.1 without a host.
 */
function isUnambiguous(rawHeaders: readonly string[]): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const { length } = rawHeaders[index] as string;
    if (length !== HOST.length && length !== CODING.length) continue;
    const name = (rawHeaders[index] as string).toLowerCase();
    const value = rawHeaders[index + 1] as string;
    if (name === HOST) {
      hosts += 1;
      if (hosts > 1 || !isHost(value)) return false;
    } else if (name === CODING && value.toLowerCase() !== 'chunked') return false;
  }
  return true;
}

const HOST = 'host';
const CODING = 'transfer-encoding';

/** The last valid host: requests to a server mostly name the same. */
let lastHost = '';

/** Whether a host is a name or an address, with a port or without: not a list, and without a user or path. */
function isHost(value: string): boolean {
  if (value === lastHost) return true;
  if (!/^[\w.~!$&'()*+;=%:[\]-]*$/.test(value)) return false;
  lastHost = value;
  return true;
}

/**
 * How often the platform looks for requests that take too long to arrive, in milliseconds; timeouts are not more exact
 * than this.
 */
const CHECK_INTERVAL = 1000;

function http1Options({ maxHeaderSize, readHeaderTimeout }: ListenerOptions): ServerOptions {
  return { maxHeaderSize, headersTimeout: readHeaderTimeout, connectionsCheckingInterval: CHECK_INTERVAL };
}

/** The first bytes of a client that knows the server supports HTTP/2; no HTTP/1.1 method begins like this. */
const PREFACE = Buffer.from('PRI');

/**
 * Determines from the first bytes of a connection whether it is HTTP/2. The bytes are put back before `decided` is
 * called, which must pass the socket on at once.
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
