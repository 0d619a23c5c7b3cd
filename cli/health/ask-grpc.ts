import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import type { Socket } from 'node:net';
import { AUTHZ_SERVICE } from '../../server/service/services.js';
import type { HealthAnswer } from './ask-http.js';

/** `grpc.health.v1.HealthCheckResponse.ServingStatus`, by number. */
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
/** Field 1, a varint: all that an answer holds. */
const STATUS_FIELD = 0x08;
/** Before each message: whether it is compressed, and its length. */
const FRAME_HEADER = 5;

/** Asks for the health of the decision service by gRPC. Rejects when there is no answer, or an error. */
export function askGrpc(socket: Socket): Promise<HealthAnswer> {
  return new Promise((resolve, reject) => {
    const session: ClientHttp2Session = connect('http://localhost', { createConnection: () => socket });
    session.on('error', reject);
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    let ended: IncomingHttpHeaders = {};
    const chunks: Buffer[] = [];
    stream.on('response', (headers) => {
      ended = headers;
    });
    stream.on('trailers', (headers) => {
      ended = headers;
    });
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    stream.on('error', reject);
    stream.on('close', () => {
      session.destroy();
      if (ended['grpc-status'] !== '0') reject(new Error(`the server answers: ${reasonOf(ended)}`));
      else resolve(answerOf(Buffer.concat(chunks).subarray(FRAME_HEADER)));
    });
    stream.end(requestFor(AUTHZ_SERVICE));
  });
}

function reasonOf(headers: IncomingHttpHeaders): string {
  const code = headers['grpc-status'];
  return code === undefined ? 'not in gRPC' : `${String(headers['grpc-message'] ?? 'error')} (code ${code})`;
}

/** The frame of a message whose field 1 is a text that is not long. */
function requestFor(service: string): Buffer {
  const text = Buffer.from(service);
  const message = Buffer.concat([Buffer.from([0x0a, text.length]), text]);
  const header = Buffer.alloc(FRAME_HEADER);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

function answerOf(message: Buffer): HealthAnswer {
  const text = STATUSES[message[0] === STATUS_FIELD ? (message[1] ?? 0) : 0] ?? 'UNKNOWN';
  return { serving: text === 'SERVING', text };
}
