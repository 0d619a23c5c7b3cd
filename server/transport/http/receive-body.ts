import type { IncomingMessage, ServerResponse } from 'node:http';
import { RpcError, tooLarge } from '../../service/rpc-error.js';
import { type BodyBudget, BodyReservation } from '../body-budget.js';
import type { EarlyHandler, Failed, Parameters, Route } from './route.js';

/**
 * Receives the body of a request and calls the handler of its route: for hot calls, and for all that Fastify routes. An
 * exception of a handler fails its call.
 */
export class Receiver {
  readonly #maxMessageSize: number;
  readonly #budget: BodyBudget;
  readonly #failed: Failed;

  /** @param maxMessageSize of the protobuf encoding, in bytes. */
  constructor(maxMessageSize: number, budget: BodyBudget, failed: Failed) {
    this.#maxMessageSize = maxMessageSize;
    this.#budget = budget;
    this.#failed = failed;
  }

  /** Answers a request of a route. */
  receive(route: Route, request: IncomingMessage, response: ServerResponse, parameters: Parameters): void {
    try {
      if (route.refuses?.(request, response)) return;
      receiveBody(request, this.#maxMessageSize, this.#budget, (body, failure) => {
        try {
          if (failure === undefined) route.handler(request, response, body, parameters);
          else this.#failed(request, response, failure);
        } catch (thrown) {
          this.#failed(request, response, thrown);
        }
      });
    } catch (thrown) {
      this.#failed(request, response, thrown);
    }
  }

  /** Answers a request whose handler reads the body itself. */
  pass(handler: EarlyHandler, request: IncomingMessage, response: ServerResponse): void {
    try {
      handler(request, response);
    } catch (thrown) {
      this.#failed(request, response, thrown);
    }
  }
}

const NO_BODY = Buffer.alloc(0);

/**
 * JSON may take more bytes than its protobuf encoding, to which the message limit applies; a body beyond this factor is
 * not read.
 */
const BODY_FACTOR = 2;

/** Calls `done` once: with the body, or with the reason why it cannot be read. */
function receiveBody(
  request: IncomingMessage,
  maxMessageSize: number,
  budget: BodyBudget,
  done: (body: Buffer, failure?: RpcError) => void,
): void {
  const { method, httpVersionMajor, headers } = request;
  if (method === 'GET' || method === 'HEAD') return done(NO_BODY);
  const { 'content-length': declared } = headers;
  // What follows on the connection is another request; without a length, HTTP/2 still has a body.
  if (
    declared === '0' ||
    (declared === undefined && headers['transfer-encoding'] === undefined && httpVersionMajor === 1)
  )
    return done(NO_BODY);
  const limit = maxMessageSize * BODY_FACTOR;
  const tooLong = (): RpcError => tooLarge(declared ?? limit + 1, maxMessageSize);
  if (Number(declared) > limit) return done(NO_BODY, tooLong());
  const chunks: Buffer[] = [];
  const reservation = new BodyReservation(budget, request);
  let length = 0;
  let isDone = false;
  const settle = (): void => {
    isDone = true;
    reservation.release();
  };
  const refuse = (error: RpcError): void => {
    settle();
    chunks.length = 0;
    done(NO_BODY, error);
  };
  request.on('data', (chunk: Buffer) => {
    // The rest of a body that is refused is discarded: the next request of the connection follows it.
    if (isDone) return;
    if (!reservation.add(chunk.length)) return refuse(reservation.refusal());
    length += chunk.length;
    chunks.push(chunk);
    if (length > limit) refuse(tooLong());
  });
  const onEnd = (error?: Error): void => {
    // The connection may be lost while the response waits.
    if (isDone) return;
    settle();
    // The platform compares the lengths in HTTP/1.1, but not when a client resets a stream of HTTP/2.
    if (error !== undefined || (declared !== undefined && Number(declared) !== length))
      done(NO_BODY, new RpcError('invalid_argument', 'bad request'));
    else done(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, length));
  };
  request.on('end', onEnd);
  request.on('error', onEnd);
}
