import type { Socket } from 'node:net';
import type { Server } from 'node:tls';

/** The first byte of every TLS handshake record. */
const HANDSHAKE = 0x16;
/** How long a client may take to send one byte, in milliseconds. */
const PATIENCE = 60_000;
const ANSWER = 'Client sent an HTTP request to an HTTPS server.\n';

/**
 * Answers clients that speak plain HTTP to a TLS listener with a 400 that says so (docs/spec/server.md#tls); Node would
 * close the connection. Connections that begin with a handshake go to the original listener.
 */
export function answerPlainHttp(listener: Server): void {
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
