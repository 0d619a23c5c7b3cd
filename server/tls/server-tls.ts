import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer, type Server as HttpsServer, type ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { SecureContextOptions, Server, TlsOptions, TLSSocket } from 'node:tls';
import type { TlsConfig } from '../config.js';
import { watchPaths } from '../watch-paths.js';
import { type Certificates, readCertificates } from './certificates.js';

/** The transport security of both listeners (docs/spec/server.md#tls). Its certificates follow their files. */
export interface ServerTls {
  /** Options for whatever makes a TLS listener: `tls`, `https` or `http2`. The caller adds its protocols (ALPN). */
  readonly options: () => TlsOptions;
  /**
   * Keeps the certificates of a listener those of the files, until it closes, and cuts off clients whose certificate is
   * not from the authorities.
   */
  readonly guard: (listener: Server) => void;
  /** The same for a listener of HTTP, which tells those who come without TLS so. */
  readonly guardHttp: (listener: Server) => void;
  /** Creates a listener of HTTP/1.1. Servers without TLS do not load the module that has it. */
  readonly createHttpsServer: (options: ServerOptions, handle: RequestListener) => HttpsServer;
  /** Reads the files now. What cannot be served with changes nothing. */
  readonly reload: () => void;
  /** Stops looking at the files. To be called before the servers behind are stopped. */
  readonly close: () => void;
}

/** Events of the certificate files after the start. */
export type TlsEvent =
  | { readonly kind: 'reloaded' }
  /** The last good certificates stay. */
  | { readonly kind: 'refused'; readonly reason: string };

/**
 * Reads the files of `server.tls`, and reloads them on SIGHUP and, if configured, when they change. Throws a
 * ConfigError for files that the server must not start with.
 */
export function loadTls(config: TlsConfig, tell: (event: TlsEvent) => void): ServerTls {
  let current = readCertificates(config);
  let refused: string | undefined;
  const listeners = new Set<Server>();
  const reload = (): void => {
    try {
      const read = readCertificates(config);
      refused = undefined;
      if (isSame(read, current)) return;
      current = read;
      for (const listener of listeners) listener.setSecureContext(makeContextOptions(current));
      tell({ kind: 'reloaded' });
    } catch (error) {
      const reason = (error as Error).message;
      // Once for each problem: a poll finds it again and again.
      if (reason !== refused) tell({ kind: 'refused', reason });
      refused = reason;
    }
  };
  const watcher = config.watch
    ? watchPaths([config.cert, config.key, ...(config.caCert === undefined ? [] : [config.caCert])], reload, {
        background: true,
      })
    : undefined;
  process.on('SIGHUP', reload);
  const guard = (listener: Server): void => {
    listeners.add(listener);
    listener.on('close', () => listeners.delete(listener));
    listener.prependListener('secureConnection', (socket) => {
      if (!isWelcome(socket, current)) socket.destroy();
    });
  };
  return {
    options: () => ({
      ...makeContextOptions(current),
      requestCert: current.ca !== undefined,
      rejectUnauthorized: false,
    }),
    guard,
    guardHttp: (listener) => {
      guard(listener);
      answerPlainHttp(listener);
    },
    createHttpsServer,
    reload,
    close: () => {
      watcher?.close();
      process.off('SIGHUP', reload);
    },
  };
}

function makeContextOptions({ cert, key, ca }: Certificates): SecureContextOptions {
  return { cert, key, minVersion: 'TLSv1.2', ...(ca !== undefined && { ca }) };
}

/** Clients may connect without a certificate; a certificate must come from one of the authorities. */
function isWelcome(socket: TLSSocket, { ca }: Certificates): boolean {
  return ca === undefined || socket.authorized || socket.getPeerX509Certificate() === undefined;
}

function isSame(left: Certificates, right: Certificates): boolean {
  return (
    left.cert.equals(right.cert) &&
    left.key.equals(right.key) &&
    (left.ca === undefined || right.ca === undefined ? left.ca === right.ca : left.ca.equals(right.ca))
  );
}

/** The first byte of every TLS handshake record. */
const HANDSHAKE = 0x16;
/** How long a client may take to send one byte, in milliseconds. */
const PATIENCE = 60_000;
const ANSWER = 'Client sent an HTTP request to an HTTPS server.\n';

/**
 * Answers clients that speak plain HTTP to a TLS listener with a 400 that says so (docs/spec/server.md#tls); Node would
 * close the connection. Connections that begin with a handshake go to the original listener.
 */
function answerPlainHttp(listener: Server): void {
  const handlers = listener.listeners('connection') as ((socket: Socket) => void)[];
  listener.removeAllListeners('connection');
  listener.on('connection', (socket: Socket) => {
    // A client that leaves before it has said anything.
    socket.on('error', () => socket.destroy());
    socket.setTimeout(PATIENCE, () => socket.destroy());
    socket.once('data', (first: Buffer) => {
      socket.pause();
      if (first[0] !== HANDSHAKE) return refuse(socket);
      socket.setTimeout(0);
      socket.removeAllListeners('timeout');
      socket.unshift(first);
      for (const handler of handlers) handler.call(listener, socket);
    });
  });
}

function refuse(socket: Socket): void {
  socket.end(
    `HTTP/1.1 400 Bad Request\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${ANSWER.length}\r\nConnection: close\r\n\r\n${ANSWER}`,
  );
  socket.once('finish', () => socket.destroy());
}
