import { constants, type ServerHttp2Stream } from 'node:http2';
import type { Server } from '@grpc/grpc-js';
import { CODES, type RpcError } from '../../service/rpc-error.js';
import { type BodyBudget, BodyReservation } from '../body-budget.js';
import type { GrpcStreamHandler } from '../grpc-streams.js';
import { MessageProgress } from '../message-progress.js';

/**
 * Answers streams of another listener with the handlers of the library's server. The library accepts whole connections
 * from elsewhere (`createConnectionInjector`) but not single streams, and on the HTTP port one connection may carry
 * both gRPC and REST. So this calls the function behind the library's own listeners, which is not declared: its
 * presence is checked at startup, and the version is pinned.
 */
export function grpcStreamHandler(server: Server, budget: BodyBudget): GrpcStreamHandler {
  const { _streamHandler: handle } = server as unknown as Partial<LibraryServer>;
  if (handle === undefined) throw new Error('this version of @grpc/grpc-js cannot serve single streams');
  return (stream, headers) => {
    handle.call(server, [], stream, headers);
    if (!stream.headersSent) limitIncomplete(stream, budget);
  };
}

/** Refuses a call whose incomplete message does not fit into the budget. The library has begun to read. */
function limitIncomplete(stream: ServerHttp2Stream, budget: BodyBudget): void {
  const messages = new MessageProgress();
  const reservation = new BodyReservation(budget, stream);
  stream.on('data', (chunk: Buffer) => {
    // How long messages take is measured elsewhere.
    if (messages.add(chunk, 0)) reservation.release();
    // The library discards what follows a response.
    if (messages.partialSince === undefined || stream.closed || stream.writableEnded) return;
    if (reservation.add(chunk.length)) return;
    refuse(stream, reservation.refusal());
    // The library keeps the message until the stream closes, which is in the same pass of the event loop.
    reservation.release();
  });
}

/** Sends a response, and closes the stream, as the library keeps an incomplete message until then. */
function refuse(stream: ServerHttp2Stream, { code, message }: RpcError): void {
  if (stream.headersSent) {
    // Clients map this to RESOURCE_EXHAUSTED.
    stream.close(constants.NGHTTP2_ENHANCE_YOUR_CALM);
    return;
  }
  const head = { ':status': 200, 'content-type': 'application/grpc+proto' };
  const status = { 'grpc-status': CODES[code].number, 'grpc-message': message };
  stream.respond({ ...head, ...status }, { endStream: true });
  // Node 26 does not send a response to a stream that closes at once.
  setImmediate(() => stream.close(constants.NGHTTP2_NO_ERROR));
}

interface LibraryServer {
  /** Parameters: interceptors, stream, headers. */
  readonly _streamHandler: (interceptors: readonly never[], ...stream: Parameters<GrpcStreamHandler>) => void;
}
