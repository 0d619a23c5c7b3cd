import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RpcError } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import { callHeader } from '../call-header.js';
import { type Codec, fullName, type Rpc, runProto } from '../rpc.js';
import { createRunner } from '../unary-call.js';
import { grpcTimeout, isLate } from './deadline.js';
import type { HeaderList } from './cors.js';
import type { Exchange } from './exchange.js';
import { frame, MESSAGE } from './frames.js';
import { answerType, isTextual, requestMessage, trailersFrame } from './grpc-web-frames.js';
import { HttpCall } from './http-call.js';
import type { Handler } from './route.js';

/** Unary gRPC-Web calls: messages in frames, the status in a last frame, always with HTTP status 200. */
export function grpcWebHandler(rpc: Rpc, exchange: Exchange, services: Services, connect: Codec): Handler {
  const method = fullName(rpc);
  const codec: Codec = { ...connect, malformed: 'internal' };
  // Only requests that passed validation report the release (docs/spec/server.md#response-headers).
  const handled = (call: HttpCall): HeaderList =>
    call.id === '' ? [] : ['authz-version', services.release.version, ...callHeader(call)];
  const run = createRunner<HttpCall, Buffer>(services, {
    open: (call) => {
      call.timeout = grpcTimeout(call.request.headers['grpc-timeout']);
    },
    run: (call, body) => {
      const isText = isTextual(call.request.headers['content-type']);
      return runProto(rpc, services, call, requestMessage(body, isText), codec);
    },
    isLate,
    answer: (call, message) => {
      const frames = [frame(MESSAGE, message), trailersFrame(undefined)];
      return sendFrames(call.request, call.response, exchange, frames, handled(call));
    },
    refuse: (call, error) => sendGrpcWebError(call.request, call.response, exchange, error, handled(call)),
  });
  return (request, response, body) => run(new HttpCall(method, 'grpc-web', request, response), body);
}

/** Sends an error in a separate frame. Returns the size of the response. */
export function sendGrpcWebError(
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  error: RpcError,
  headers: HeaderList = [],
): number {
  return sendFrames(request, response, exchange, [trailersFrame(error)], headers);
}

function sendFrames(
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  frames: readonly Buffer[],
  headers: HeaderList,
): number {
  const bytes = Buffer.concat(frames);
  const isText = isTextual(request.headers['content-type']);
  return exchange.send(
    request,
    response,
    200,
    ['Content-Type', answerType(isText), ...headers],
    isText ? bytes.toString('base64') : bytes,
  );
}
