import { request } from 'node:http';
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from 'node:http2';
import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure, type ConnectionOptions } from 'node:tls';
import type { Address } from '../../../server/config/address.js';
import { AUTHZ_SERVICE } from '../../../server/service/services.js';
import type { HealthTarget, HealthTls } from './target.js';

/**
 * Connects to a server, optionally over TLS, with the protocol (ALPN) that will be used. Rejects if it cannot connect,
 * or if the certificate is not accepted. The connection ends with the signal.
 */
export function openConnection(
  { address, tls }: HealthTarget,
  protocol: 'h2' | 'http/1.1',
  signal: AbortSignal,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    if (tls === undefined) {
      const socket = connectPlain(toConnectOptions(address), () => resolve(socket));
      socket.once('error', reject);
      signal.addEventListener('abort', () => socket.destroy());
      return;
    }
    const socket = connectSecure(
      { ...toConnectOptions(address), ...toTlsOptions(tls), ALPNProtocols: [protocol] },
      () => {
        const isPinned = tls.kind !== 'pinned' || socket.getPeerX509Certificate()?.raw.equals(tls.certificate) === true;
        if (isPinned) resolve(socket);
        else socket.destroy(new Error('the certificate of the server is not the one in its configuration'));
      },
    );
    socket.once('error', reject);
    signal.addEventListener('abort', () => socket.destroy());
  });
}

function toConnectOptions(
  address: Address,
): { readonly path: string } | { readonly host: string; readonly port: number; readonly servername?: string } {
  if (address.kind === 'unix') return { path: address.path };
  const host = address.host ?? '127.0.0.1';
  return { host: WILDCARDS.includes(host) ? '127.0.0.1' : host, port: address.port };
}

/** Hosts that listen and cannot be connected to. */
const WILDCARDS = ['0.0.0.0', '::'];

function toTlsOptions(tls: HealthTls): ConnectionOptions {
  switch (tls.kind) {
    case 'any':
    case 'pinned':
      return { rejectUnauthorized: false };
    case 'authority':
      return tls.ca === undefined ? {} : { ca: tls.ca };
  }
}

/** `grpc.health.v1.HealthCheckResponse.ServingStatus`, by number. */
const STATUSES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
/** Field 1, a varint: the only field of the response. */
const STATUS_FIELD = 0x08;
/** Bytes before each message: whether it is compressed, and its length. */
const FRAME_HEADER = 5;

/** Requests the health of the decision service over gRPC. Rejects if there is no response, or an error. */
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
      if (ended['grpc-status'] !== '0') reject(new Error(`the server responded: ${readReason(ended)}`));
      else resolve(readAnswer(Buffer.concat(chunks).subarray(FRAME_HEADER)));
    });
    stream.end(requestFor(AUTHZ_SERVICE));
  });
}

function readReason(headers: IncomingHttpHeaders): string {
  const code = headers['grpc-status'];
  return code === undefined ? 'not in gRPC' : `${String(headers['grpc-message'] ?? 'error')} (code ${code})`;
}

/** The frame of a message whose field 1 is a string of at most 127 bytes. */
function requestFor(service: string): Buffer {
  const text = Buffer.from(service);
  const message = Buffer.concat([Buffer.from([0x0a, text.length]), text]);
  const header = Buffer.alloc(FRAME_HEADER);
  header.writeUInt32BE(message.length, 1);
  return Buffer.concat([header, message]);
}

function readAnswer(message: Buffer): HealthAnswer {
  const text = STATUSES[message[0] === STATUS_FIELD ? (message[1] ?? 0) : 0] ?? 'UNKNOWN';
  return { serving: text === 'SERVING', text };
}

/** The health that a server reported. */
export interface HealthAnswer {
  readonly serving: boolean;
  /** Reason in the server's words. */
  readonly text: string;
}

/** Longer than any health response, in characters. */
const LONGEST = 4096;

/** Requests the health over HTTP. Rejects if there is no response. */
export function askHttp(socket: Socket): Promise<HealthAnswer> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { createConnection: () => socket, path: '/_authz/health', headers: { host: 'localhost', connection: 'close' } },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          text += chunk;
          if (text.length > LONGEST) asked.destroy(new Error('the response is not that of a health check'));
        });
        response.on('error', reject);
        response.on('end', () =>
          resolve({ serving: response.statusCode === 200 && isServing(text), text: text.trim() }),
        );
      },
    );
    asked.on('error', reject);
    asked.end();
  });
}

function isServing(text: string): boolean {
  try {
    return (JSON.parse(text) as { readonly status?: unknown } | null)?.status === 'SERVING';
  } catch {
    return false;
  }
}
