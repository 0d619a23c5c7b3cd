import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import { callHeader } from '../call-header.js';
import { begin, deliver, end, endFailed } from '../watched-call.js';
import { type Codec, fullName, type Rpc, runProto } from '../rpc.js';
import { checkDeadline, grpcTimeout, type Timeout } from './deadline.js';
import type { HeaderList } from './cors.js';
import type { Exchange } from './exchange.js';
import { frame, MESSAGE } from './frames.js';
import { answerType, isTextual, requestMessage, trailersFrame } from './grpc-web-frames.js';
import { HttpCall } from './http-call.js';
import type { Handler } from './router.js';

/** Unary gRPC-Web calls: messages in frames, the status in a last frame, always with HTTP status 200. */
export function grpcWebHandler(rpc: Rpc, exchange: Exchange, services: Services, connect: Codec): Handler {
  const { watchers, report } = services;
  const method = fullName(rpc);
  const codec: Codec = { ...connect, malformed: 'internal' };
  return (request, response, body) => {
    const isText = isTextual(request.headers['content-type']);
    const call = new HttpCall(method, 'grpc-web', request);
    begin(watchers, call);
    // Only requests that passed validation report the release (docs/spec/server.md#response-headers).
    const handled = (): HeaderList =>
      call.id === '' ? [] : ['authz-version', services.release.version, ...callHeader(call)];
    const refuse = (error: RpcError): void => {
      const size = sendGrpcWebError(request, response, exchange, error, handled());
      endFailed(watchers, call, error, body.length, size);
    };
    const fail = (thrown: unknown): void => {
      const error = rpcErrorOf(thrown, report);
      deliver(services, call, error.code, () => refuse(error), refuse);
    };
    const answer = (message: Buffer): void => {
      const size = sendFrames(
        request,
        response,
        exchange,
        [frame(MESSAGE, message), trailersFrame(undefined)],
        handled(),
      );
      end(watchers, call, body.length, size);
    };
    let timeout: Timeout;
    const finish = (message: Buffer): void => {
      checkDeadline(call.start, timeout);
      deliver(services, call, undefined, () => answer(message), refuse);
    };
    try {
      timeout = grpcTimeout(request.headers['grpc-timeout']);
      const outcome = runProto(rpc, services, call, requestMessage(body, isText), codec);
      if (outcome instanceof Promise) outcome.then(finish).catch(fail);
      else finish(outcome);
    } catch (thrown) {
      fail(thrown);
    }
  };
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
