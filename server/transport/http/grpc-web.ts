import type { FastifyReply, FastifyRequest } from 'fastify';
import { CODES, RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import { begin, end, endFailed } from '../watched-call.js';
import { type Codec, fullName, type Rpc, runProto } from '../rpc.js';
import { encodeStatus } from '../status-message.js';
import { checkDeadline, grpcTimeout, type Timeout } from './deadline.js';
import type { Exchange } from './exchange.js';
import { HttpCall } from './http-call.js';

/** Whether a media type is one of gRPC-Web's, whose messages are protobuf: binary, or as base64 text. */
export function isGrpcWeb(contentType: string | undefined): boolean {
  return contentType !== undefined && GRPC_WEB.test(contentType);
}

/** Unary calls of gRPC-Web: messages in frames, the status in a last frame, everything with HTTP status 200. */
export function grpcWebHandler(rpc: Rpc, exchange: Exchange, services: Services, connect: Codec): (request: FastifyRequest, reply: FastifyReply) => void {
  const { watchers } = services;
  const method = fullName(rpc);
  const codec: Codec = { ...connect, malformed: 'internal' };
  return (request, reply) => {
    const isText = (request.headers['content-type'] as string).toLowerCase().startsWith(TEXT_TYPE);
    const call = new HttpCall(method, 'grpc-web', request.raw);
    begin(watchers, call);
    const body = (request.body as Buffer | undefined) ?? NO_BODY;
    const send = (frames: readonly Buffer[]): number => {
      const bytes = Buffer.concat(frames);
      const headers = ['Content-Type', isText ? `${TEXT_TYPE}+proto` : 'application/grpc-web+proto'];
      if (call.id !== '') headers.push('authz-version', services.release.version);
      return exchange.send(request, reply, 200, headers, isText ? bytes.toString('base64') : bytes);
    };
    const fail = (thrown: unknown): void => {
      const error = rpcErrorOf(thrown);
      const size = send([frame(TRAILERS, Buffer.from(failedTrailers(error)))]);
      endFailed(watchers, call, error, body.length, size);
    };
    let timeout: Timeout;
    const finish = (message: Buffer): void => {
      checkDeadline(call.start, timeout);
      const size = send([frame(MESSAGE, message), frame(TRAILERS, Buffer.from('grpc-status: 0\r\n'))]);
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

const GRPC_WEB = /^application\/grpc-web(-text)?(\+proto)?\s*(;|$)/i;
const TEXT_TYPE = 'application/grpc-web-text';
const NO_BODY = Buffer.alloc(0);

/** The first byte of a frame; four of length follow. */
const MESSAGE = 0;
const COMPRESSED = 1;
const TRAILERS = 0x80;
const FRAME_HEAD = 5;

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
