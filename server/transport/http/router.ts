import type { IncomingMessage, ServerResponse } from 'node:http';
import findMyWay, { type HTTPMethod, type HTTPVersion, type Instance } from 'find-my-way';
import { RpcError, tooLarge } from '../../service/rpc-error.js';
import { type BodyBudget, BodyReservation } from '../body-budget.js';

/**
 * Answers a request whose body has been received; without a body, it is empty. `parameters` are the parts of the path
 * that the route names.
 */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  body: Buffer,
  parameters: Parameters,
) => void;

/** Answers a request before its body has been received. */
export type EarlyHandler = (request: IncomingMessage, response: ServerResponse) => void;

/** Refuses a request before its body has been received, or returns false. */
export type Refusal = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface Parameters {
  readonly [name: string]: string | undefined;
}

/** The responses that do not come from a route. */
export interface Fallbacks {
  /** To a request for a path or a method without a route. */
  readonly unrouted: EarlyHandler;
  /** To a request whose body cannot be read, and to one whose handler throws. */
  readonly failed: (request: IncomingMessage, response: ServerResponse, thrown: unknown) => void;
}

/**
 * The way of every request from the listener to its handler, over HTTP/1.1 and HTTP/2: the route is found, then the
 * body is received (docs/decisions/messages-and-transports.md#0041).
 */
export class Router {
  readonly #routes: Instance<HTTPVersion.V1>;
  readonly #maxMessageSize: number;
  readonly #budget: BodyBudget;
  readonly #fallbacks: Fallbacks;

  /** @param maxMessageSize of the protobuf encoding, in bytes. */
  constructor(maxMessageSize: number, budget: BodyBudget, fallbacks: Fallbacks) {
    const { unrouted } = fallbacks;
    this.#routes = findMyWay({
      defaultRoute: unrouted,
      onBadUrl: (_path, request, response) => unrouted(request, response),
      onMaxParamLength: (_path, request, response) => unrouted(request, response),
      // The few handlers of a query parse it themselves.
      querystringParser: () => NO_QUERY,
    });
    this.#maxMessageSize = maxMessageSize;
    this.#budget = budget;
    this.#fallbacks = fallbacks;
  }

  get(path: string, handler: Handler): void {
    this.add(['GET'], path, handler);
  }

  post(path: string, handler: Handler, refuses?: Refusal): void {
    this.add(['POST'], path, handler, refuses);
  }

  /** Adds a document that is served for every method (docs/spec/server.md#openapi-and-explorer). */
  any(path: string, handler: Handler): void {
    this.add(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'], path, handler);
  }

  /** Adds a route. That of GET serves HEAD, too: the platform sends the response without its body. */
  add(methods: readonly HTTPMethod[], path: string, handler: Handler, refuses: Refusal = () => false): void {
    const all = new Set(methods.includes('GET') ? [...methods, 'HEAD' as const] : methods);
    this.#routes.on([...all], path, (request, response, parameters) => {
      if (refuses(request, response)) return;
      receiveBody(request, this.#maxMessageSize, this.#budget, (body, failure) => {
        if (failure === undefined) this.#guard(request, response, () => handler(request, response, body, parameters));
        else this.#fallbacks.failed(request, response, failure);
      });
    });
  }

  /** Adds a handler that reads the body itself. */
  postEarly(path: string, handler: EarlyHandler): void {
    this.#routes.on('POST', path, (request, response) => handler(request, response));
  }

  /** Answers a request. */
  route(request: IncomingMessage, response: ServerResponse): void {
    this.#guard(request, response, () => this.#routes.lookup(request, response));
  }

  #guard(request: IncomingMessage, response: ServerResponse, run: () => void): void {
    try {
      run();
    } catch (thrown) {
      this.#fallbacks.failed(request, response, thrown);
    }
  }
}

const NO_QUERY = {};
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
