import type { FastifyReply, FastifyRequest } from 'fastify';
import { CODES, RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import { begin, end, endFailed } from '../watched-call.js';
import { type Codec, fullName, type Rpc, runProto } from '../rpc.js';
import { encodeStatus } from '../status-message.js';
import { checkDeadline, grpcTimeout, type Timeout } from './deadline.js';
import type { HeaderList } from './cors.js';
import type { Exchange } from './exchange.js';
import { HttpCall } from './http-call.js';

/** Whether a media type is one of gRPC-Web's, whose messages are protobuf: binary, or as base64 text. */
export function isGrpcWeb(contentType: string | undefined): boolean {
  return contentType !== undefined && GRPC_WEB.test(contentType);
}

/** Unary calls of gRPC-Web: messages in frames, the status in a last frame, everything with HTTP status 200. */
export function grpcWebHandler(rpc: Rpc, exchange: Exchange, services: Services, connect: Codec): (request: FastifyRequest, reply: FastifyReply) => void {
  const { watchers, report } = services;
  const method = fullName(rpc);
  const codec: Codec = { ...connect, malformed: 'internal' };
  return (request, reply) => {
    const isText = isTextual(request);
    const call = new HttpCall(method, 'grpc-web', request.raw);
    begin(watchers, call);
    const body = (request.body as Buffer | undefined) ?? NO_BODY;
    // Only what got past validation, to its handler, names the release (server.md 1.5).
    const handled = (): HeaderList => (call.id === '' ? [] : ['authz-version', services.release.version]);
    const fail = (thrown: unknown): void => {
      const error = rpcErrorOf(thrown, report);
      const size = sendGrpcWebError(request, reply, exchange, error, handled());
      endFailed(watchers, call, error, body.length, size);
    };
    let timeout: Timeout;
    const finish = (message: Buffer): void => {
      checkDeadline(call.start, timeout);
      const size = sendFrames(request, reply, exchange, [frame(MESSAGE, message), frame(TRAILERS, Buffer.from('grpc-status: 0\r\n'))], handled());
      end(watchers, call, body.length, size);
    };
    try {
      timeout = grpcTimeout(request.headers['grpc-timeout']);
      const outcome = runProto(rpc, services, call, messageOf(isText ? decodeText(body) : body), codec);
      if (outcome instanceof Promise) outcome.then(finish).catch(fail);
      else finish(outcome);
    } catch (thrown) {
      fail(thrown);
    }
  };
}

/** An error, in a frame of its own. Gives the size of the answer. */
export function sendGrpcWebError(request: FastifyRequest, reply: FastifyReply, exchange: Exchange, error: RpcError, headers: HeaderList = []): number {
  return sendFrames(request, reply, exchange, [frame(TRAILERS, Buffer.from(failedTrailers(error)))], headers);
}

const GRPC_WEB = /^application\/grpc-web(-text)?(\+proto)?\s*(;|$)/i;
const TEXT_TYPE = 'application/grpc-web-text';
const NO_BODY = Buffer.alloc(0);

/** The first byte of a frame; four of length follow. */
const MESSAGE = 0;
const COMPRESSED = 1;
const TRAILERS = 0x80;
const FRAME_HEAD = 5;

function isTextual(request: FastifyRequest): boolean {
  return request.headers['content-type']?.toLowerCase().startsWith(TEXT_TYPE) === true;
}

function sendFrames(request: FastifyRequest, reply: FastifyReply, exchange: Exchange, frames: readonly Buffer[], headers: HeaderList): number {
  const bytes = Buffer.concat(frames);
  if (isTextual(request)) return exchange.send(request, reply, 200, ['Content-Type', `${TEXT_TYPE}+proto`, ...headers], bytes.toString('base64'));
  return exchange.send(request, reply, 200, ['Content-Type', 'application/grpc-web+proto', ...headers], bytes);
}

function frame(kind: number, content: Buffer): Buffer {
  const head = Buffer.alloc(FRAME_HEAD);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(content.length, 1);
  return Buffer.concat([head, content]);
}

/** The one message of a request. */
function messageOf(body: Buffer): Buffer {
  if (body.length < FRAME_HEAD) throw new RpcError('internal', 'a message was expected');
  const kind = body.readUInt8(0);
  if (kind === COMPRESSED) throw new RpcError('unimplemented', 'unknown compression: supported is identity');
  if (kind !== MESSAGE || body.readUInt32BE(1) !== body.length - FRAME_HEAD) throw new RpcError('internal', 'one whole message was expected');
  return body.subarray(FRAME_HEAD);
}

/** Base64 that may have been made piece by piece, each with padding of its own. */
function decodeText(body: Buffer): Buffer {
  const pieces = body.toString('latin1').match(/[^=]+={0,2}/g) ?? [];
  return Buffer.concat(pieces.map((piece) => Buffer.from(piece, 'base64')));
}

function failedTrailers(error: RpcError): string {
  const lines = [`grpc-status: ${CODES[error.code].number}`, `grpc-message: ${percentEncoded(error.message)}`];
  if (error.violations.length > 0) lines.push(`grpc-status-details-bin: ${encodeStatus(error).toString('base64').replace(/=+$/, '')}`);
  return `${lines.join('\r\n')}\r\n`;
}

/** Printable ASCII but the percent sign stands for itself; all else is the bytes of its UTF-8. */
function percentEncoded(message: string): string {
  return message.replace(/[^ -$&-~]+/gu, (text) => [...Buffer.from(text)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''));
}
