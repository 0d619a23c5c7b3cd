import type { Socket } from 'node:net';
import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Config } from '../../config.js';
import type { Protocol } from '../../service/call.js';
import { type Report, RpcError, rpcErrorOf, tooLarge } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import type { ServerTls } from '../../tls/server-tls.js';
import type { GrpcServer } from '../grpc/grpc-server.js';
import { fullName } from '../rpc.js';
import { RPCS_BY_NAME } from '../rpcs.js';
import { drained } from '../sockets.js';
import { begin, endFailed } from '../watched-call.js';
import { addAdminRoutes } from './admin.js';
import { addAnyMethodRoute } from './any-method.js';
import { addConnectRoutes, isConnectPath, refuseMediaType, sendConnectError } from './connect.js';
import { corsOf } from './cors.js';
import { answerClientError } from './client-error.js';
import { Exchange, pathOf } from './exchange.js';
import { addExplorerRoutes } from './explorer-routes.js';
import { sendGrpcWebError } from './grpc-web.js';
import { isGrpcWeb } from './grpc-web-frames.js';
import { type HttpListener, httpListener } from './http-listener.js';
import { HttpCall } from './http-call.js';
import { addRestRoutes, restRpc } from './rest.js';
import { answerUnrouted } from './unrouted.js';

/** The HTTP listener: REST, Connect and gRPC-Web over HTTP/1.1 and HTTP/2, and gRPC over HTTP/2. */
export interface HttpServer {
  /** Serves a connection. */
  readonly take: (socket: Socket) => void;
  /**
   * From now on, every connection ends with its next response: clients move elsewhere before the listener closes, and
   * no call reaches a closed connection.
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
  /** Answers gRPC requests. */
  readonly grpc?: Pick<GrpcServer, 'handleStream' | 'streamsRequest'>;
  /** If absent: plaintext. */
  readonly tls?: ServerTls | undefined;
  /**
   * The response to metrics scrapers (docs/spec/server.md#metrics). If absent: there are no metrics, and the path is
   * unknown.
   */
  readonly metrics?: MetricsText | undefined;
}

export interface MetricsText {
  readonly contentType: string;
  readonly text: () => Promise<string>;
}

/** Go's limit, which clients may rely on (docs/spec/server.md#limits-and-deadlines). */
const MAX_HEADER_SIZE = 1024 * 1024;
/**
 * JSON may take more bytes than its protobuf encoding, to which the message limit applies; a body beyond this factor is
 * not read.
 */
const BODY_FACTOR = 2;

/** Creates the HTTP server of a configuration. */
export async function httpServer(
  config: Config['server'],
  services: Services,
  { grpc, tls, metrics }: HttpSurroundings = {},
): Promise<HttpServer> {
  const exchange = new Exchange(corsOf(config.cors));
  const listeners: HttpListener[] = [];
  const app = Fastify({
    bodyLimit: config.grpc.maxRecvMsgSizeBytes * BODY_FACTOR,
    serverFactory: (handleRequest) => {
      const { maxConcurrentStreams, maxConnectionAge } = config.grpc;
      const limits = { ...config.http, maxConcurrentStreams, maxConnectionAge, maxHeaderSize: MAX_HEADER_SIZE };
      const listener = httpListener({
        ...limits,
        tls,
        handleRequest,
        handleGrpc: grpc?.handleStream,
        streamsRequest: grpc?.streamsRequest ?? (() => false),
      });
      listeners.push(listener);
      return listener.server;
    },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: answerClientError,
    frameworkErrors: (_error, request, reply) => answerUnrouted(request, reply, exchange, services.admin !== undefined),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', (request, reply, done) => {
    // If no handler reads the body, do not wait for it.
    if (request.is404) return answerUnrouted(request, reply, exchange, services.admin !== undefined);
    ignoreContentType(request);
    done();
  });
  app.setNotFoundHandler((request, reply) => answerUnrouted(request, reply, exchange, services.admin !== undefined));
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply, exchange, services));
  addRestRoutes(app, exchange, services);
  addConnectRoutes(app, exchange, services);
  addAdminRoutes(app, exchange, services);
  addExplorerRoutes(app, exchange, services, config);
  if (metrics !== undefined)
    addAnyMethodRoute(app, exchange, services, '/_authz/metrics', (request, reply) =>
      sendMetrics(metrics, request, reply, exchange, services.report),
    );
  const retire = (): void => {
    exchange.stopping = true;
  };
  await app.ready();
  const [listener] = listeners as [HttpListener];
  return { take: listener.take, retire, stop: (patience) => stop(app, exchange, listener, patience) };
}

/**
 * REST reads any body as JSON, whatever its declared media type (docs/spec/server.md#json-mapping); the framework would
 * reject a header it cannot parse. Without a length, which is optional in HTTP/2, it would not look for a body.
 */
function ignoreContentType(request: FastifyRequest): void {
  const { url, headers, httpVersionMajor } = request.raw;
  if (!isConnectPath(url ?? '/')) {
    delete headers['content-type'];
    if (httpVersionMajor === 2 && headers['content-length'] === undefined) headers['transfer-encoding'] = 'chunked';
  }
}

function sendMetrics(
  { contentType, text }: MetricsText,
  request: FastifyRequest,
  reply: FastifyReply,
  exchange: Exchange,
  report: Report,
): void {
  text().then(
    (body) => exchange.send(request, reply, 200, ['Content-Type', contentType], body),
    (thrown) => exchange.sendRestError(request, reply, rpcErrorOf(thrown, report)),
  );
}

/** Framework errors occur before any handler runs. */
function answerError(
  error: FastifyError,
  request: FastifyRequest,
  reply: FastifyReply,
  exchange: Exchange,
  services: Services,
): void {
  // Only Connect calls can still have an unsupported media type.
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') {
    refuseMediaType(request, reply, exchange);
    return;
  }
  const refusal = refusalOf(error, request, services);
  const path = pathOf(request);
  const isConnect = isConnectPath(path);
  const rpc = isConnect ? RPCS_BY_NAME.get(path) : restRpc(request.method, path);
  const protocol = isConnect ? (isGrpcWeb(request.headers['content-type']) ? 'grpc-web' : 'connect') : 'rest';
  const call = rpc && new HttpCall(fullName(rpc), protocol, request.raw);
  if (call !== undefined) begin(services.watchers, call);
  const size = sendErrorOf(protocol, request, reply, exchange, refusal);
  if (call !== undefined)
    endFailed(services.watchers, call, refusal, Number(request.headers['content-length'] ?? 0), size);
}

function sendErrorOf(
  protocol: Protocol,
  request: FastifyRequest,
  reply: FastifyReply,
  exchange: Exchange,
  error: RpcError,
): number {
  switch (protocol) {
    case 'rest':
      return exchange.sendRestError(request, reply, error);
    case 'connect':
      return sendConnectError(request, reply, exchange, error);
    case 'grpc-web':
    case 'grpc':
      return sendGrpcWebError(request, reply, exchange, error);
  }
}

function refusalOf(error: FastifyError, request: FastifyRequest, services: Services): RpcError {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const length = request.headers['content-length'] ?? services.maxMessageSize * BODY_FACTOR + 1;
    return tooLarge(length, services.maxMessageSize);
  }
  if (error.statusCode !== undefined && error.statusCode < 500) return new RpcError('invalid_argument', 'bad request');
  return rpcErrorOf(error, services.report);
}

async function stop(app: FastifyInstance, exchange: Exchange, listener: HttpListener, patience: number): Promise<void> {
  exchange.stopping = true;
  await drained(listener.drain, listener.close(), patience, listener.closeAll);
  await app.close();
}
