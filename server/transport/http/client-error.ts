import { type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Answers requests that the HTTP parser could not read, in plain text (docs/spec/server.md#errors): no call has begun,
 * so there is no error code. The connection ends with the response, because the start of the next request is unknown.
 */
export function answerClientError(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = chooseStatus(error.code);
  const text = `${status} ${STATUS_CODES[status]}\n`;
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
  );
  // Further input is ignored, and the connection is cut shortly after: cutting it at once would lose the response.
  socket.resume();
  setTimeout(() => socket.destroy(), PATIENCE).unref();
}

/** Answers a request that the parser could read and that must not be handled, in the same way. */
export function refuseRequest(response: ServerResponse): void {
  const text = `400 ${STATUS_CODES[400]}\n`;
  response.writeHead(400, {
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': text.length,
    Connection: 'close',
  });
  response.end(text);
}

/** Milliseconds. */
const PATIENCE = 1000;

function chooseStatus(code: string | undefined): number {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return 408;
    case 'HPE_HEADER_OVERFLOW':
      return 431;
    default:
      return 400;
  }
}
