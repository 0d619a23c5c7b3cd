import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../../config.js';
import type { Protocol } from '../../service/call.js';
import { type RpcError, toRpcError } from '../../service/rpc-error.js';
import { ADMIN_SERVICE, type Services } from '../../service/services.js';
import type { ServerTls } from '../../tls/server-tls.js';
import { BodyBudget } from '../body-budget.js';
import type { GrpcStreams } from '../grpc-streams.js';
import { fullName, fullNames } from '../rpc.js';
import { RPCS } from '../rpcs.js';
import { drained } from '../sockets.js';
import { begin, endFailed } from '../watched-call.js';
import { App, createRoutesPlugin } from './app.js';
import { createConnectPlugin, createConnectRoutes, isConnectPath, sendConnectError } from './connect.js';
import { createCors } from './cors.js';
import { Exchange, readPath } from './exchange.js';
import { sendGrpcWebError } from './grpc-web.js';
import { isGrpcWeb } from './grpc-web-frames.js';
import { createHealthRoutes } from './health.js';
import { HotRoutes } from './hot-routes.js';
import { httpListener } from './http-listener.js';
import { HttpCall } from './http-call.js';
import { createMetricsRoutes, type MetricsText } from './metrics.js';
import { Receiver } from './receive-body.js';
import { createRestRoutes, restRpc } from './rest.js';
import type { Failed } from './route.js';
import { answerUnrouted } from './unrouted.js';

/** The HTTP listener: REST, Connect and gRPC-Web over HTTP/1.1 and HTTP/2, and gRPC over HTTP/2. */
export interface HttpServer {
  /** Serves a connection. */
  readonly take: (socket: Socket) => void;
  /**
   * Retires the server: from now on, every connection ends with its next response: clients move elsewhere before the
   * listener closes, and no call reaches a closed connection.
   */
  readonly retire: () => void;
  /**
   * Resolves when everything in progress is answered, or after `patience` milliseconds. Do not pass connections to it
   * after calling this.
   */
  readonly stop: (patience: number) => Promise<void>;
}

/** The other tasks of the listener. */
export interface HttpSurroundings {
  /** Loads what answers gRPC requests over HTTP/2, once. */
  readonly grpc?: () => Promise<GrpcStreams>;
  /** If absent: plaintext. */
  readonly tls?: ServerTls | undefined;
  /**
   * The response to metrics scrapers (docs/spec/server.md#metrics). If absent: there are no metrics, and the path is
   * unknown.
   */
  readonly metrics?: MetricsText | undefined;
  /** Endpoints that see requests before CORS and the router. */
  readonly endpoints?: readonly HttpEndpoints[] | undefined;
  /** If absent: incomplete bodies have no common limit. */
  readonly budget?: BodyBudget;
}

/**
 * Endpoints beside the router, for requests whose paths and methods must not be interpreted. The function that it
 * returns answers a request to one of the endpoints, and returns whether it was one.
 */
export type HttpEndpoints = (exchange: Exchange) => (request: IncomingMessage, response: ServerResponse) => boolean;

/** Go's limit, which clients may rely on (docs/spec/server.md#limits-and-deadlines). */
const MAX_HEADER_SIZE = 1024 * 1024;

/** Lists the public RPCs; with an admin API, explanations are among its routes. */
const publicRpcs = ({ admin, local }: Services): typeof RPCS =>
  RPCS.filter(
    ({ service, method }) =>
      service !== ADMIN_SERVICE || (admin === undefined && local !== undefined && method === 'ExplainDecision'),
  );
const NO_PARAMETERS = {};

/** Creates the HTTP server of a configuration. */
export function httpServer(
  config: Config['server'],
  services: Services,
  { grpc, tls, metrics, endpoints = [], budget = new BodyBudget(0) }: HttpSurroundings = {},
): HttpServer {
  const exchange = new Exchange(createCors(config.cors));
  const failed: Failed = (request, response, thrown) => answerFailed(request, response, exchange, services, thrown);
  const receiver = new Receiver(services.maxMessageSize, budget, failed);
  const known = [
    ...createRestRoutes(publicRpcs(services), exchange, services),
    ...createConnectRoutes(exchange, services),
    ...createHealthRoutes(exchange, services),
    ...(metrics === undefined ? [] : createMetricsRoutes(metrics, exchange, services)),
  ];
  const hot = new HotRoutes(known);
  const app = new App(
    async () => {
      const { createRarePlugins } = await import('./rare-plugins.js');
      return [
        // Also the hot ones: a call with a query, or a path with escapes, is found here.
        createRoutesPlugin(known),
        createConnectPlugin(exchange, services),
        ...createRarePlugins(exchange, services, config),
      ];
    },
    receiver,
    { unrouted: (request, response) => answerUnrouted(request, response, exchange, services), failed },
  );
  const early = endpoints.map((create) => create(exchange));
  const { maxConcurrentStreams, maxConnectionAge } = config.grpc;
  const listener = httpListener({
    ...config.http,
    maxConcurrentStreams,
    maxConnectionAge,
    maxHeaderSize: MAX_HEADER_SIZE,
    tls,
    handleRequest: (request, response) => {
      for (const answer of early) if (answer(request, response)) return;
      if (exchange.answerPreflight(request, response)) return;
      const route = hot.find(request);
      if (route === undefined) app.route(request, response);
      else receiver.receive(route, request, response, NO_PARAMETERS);
    },
    grpc,
    failed: (error) => services.report('HTTP/2 cannot be served', error),
  });
  const retire = (): void => {
    exchange.stopping = true;
  };
  const stop = async (patience: number): Promise<void> => {
    retire();
    await drained(listener.drain, listener.close(), patience, listener.closeAll);
    await app.close();
  };
  return { take: listener.take, retire, stop };
}

/** A call fails before its handler runs, or because the handler has a bug. */
function answerFailed(
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  services: Services,
  thrown: unknown,
): void {
  const error = toRpcError(thrown, services.report);
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const path = readPath(request);
  const { aliases } = services;
  const isConnect = isConnectPath(path, aliases);
  const rpc = isConnect ? RPCS.find((one) => fullNames(one, aliases).includes(path)) : restRpc(request.method, path);
  const protocol = isConnect ? (isGrpcWeb(request.headers['content-type']) ? 'grpc-web' : 'connect') : 'rest';
  const call = rpc && new HttpCall(fullName(rpc), protocol, request, response);
  if (call !== undefined) begin(services.watchers, call);
  const size = makeErrorSender(protocol, request, response, exchange, error);
  if (call !== undefined)
    endFailed(services.watchers, call, error, Number(request.headers['content-length'] ?? 0), size);
}

function makeErrorSender(
  protocol: Protocol,
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  error: RpcError,
): number {
  switch (protocol) {
    case 'rest':
      return exchange.sendRestError(request, response, error);
    case 'connect':
      return sendConnectError(request, response, exchange, error);
    case 'grpc-web':
    case 'grpc':
      return sendGrpcWebError(request, response, exchange, error);
  }
}
