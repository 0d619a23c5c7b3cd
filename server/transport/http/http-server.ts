import Fastify, { type FastifyError, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import type { Config } from '../../config.js';
import { tooLarge } from '../../service/message-limit.js';
import { RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import { addConnectRoutes, isConnectPath, refuseMediaType, sendConnectError } from './connect.js';
import { corsOf } from './cors.js';
import { Exchange, pathOf } from './exchange.js';
import { addRestRoutes } from './rest.js';
import { answerUnrouted } from './unrouted.js';

/** The HTTP listener: REST and Connect over HTTP/1.1. */
export interface HttpServer {
  readonly app: FastifyInstance;
  /** Accepts nothing more and resolves when all that was under way is answered, or after `patience` milliseconds. */
  readonly stop: (patience: number) => Promise<void>;
}

/** Go's limit, which clients may count on (server.md 1.7). */
const MAX_HEADER_SIZE = 1024 * 1024;
/** JSON may take more bytes than its protobuf encoding, which the message limit is about; beyond this factor a body is not read. */
const BODY_FACTOR = 2;

/** Makes the HTTP server of a configuration; it does not listen yet. */
export function httpServer(config: Config['server'], services: Services): HttpServer {
  const exchange = new Exchange(corsOf(config.cors));
  const app = Fastify({
    bodyLimit: config.grpc.maxRecvMsgSizeBytes * BODY_FACTOR,
    requestTimeout: config.http.readTimeout,
    connectionTimeout: config.http.writeTimeout,
    keepAliveTimeout: config.http.idleTimeout,
    http: { maxHeaderSize: MAX_HEADER_SIZE, headersTimeout: config.http.readHeaderTimeout },
    exposeHeadRoutes: false,
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    frameworkErrors: (_error, request, reply) => answerUnrouted(request, reply, exchange),
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.addHook('onRequest', ignoreContentType);
  app.setNotFoundHandler((request, reply) => answerUnrouted(request, reply, exchange));
  app.setErrorHandler((error: FastifyError, request, reply) => answerError(error, request, reply, exchange, services));
  addRestRoutes(app, exchange, services);
  addConnectRoutes(app, exchange, services);
  return { app, stop: (patience) => stop(app, exchange, patience) };
}

/** REST reads any body as JSON, whatever its sender calls it (server.md 1.4); the framework would refuse a header it cannot parse. */
function ignoreContentType(request: FastifyRequest, _reply: FastifyReply, done: () => void): void {
  const url = request.raw.url as string;
  if (!isConnectPath(url)) delete request.raw.headers['content-type'];
  done();
}

/** Errors of the framework: they come before any handler. */
function answerError(error: FastifyError, request: FastifyRequest, reply: FastifyReply, exchange: Exchange, services: Services): void {
  const refusal = refusalOf(error, request, services);
  // Only Connect calls still have a media type that can be wrong.
  if (error.code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE') refuseMediaType(request, reply, exchange);
  else if (isConnectPath(pathOf(request))) sendConnectError(request, reply, exchange, refusal);
  else exchange.sendRestError(request, reply, refusal);
}

function refusalOf(error: FastifyError, request: FastifyRequest, services: Services): RpcError {
  if (error.code === 'FST_ERR_CTP_BODY_TOO_LARGE') {
    const length = request.headers['content-length'] ?? services.maxMessageSize * BODY_FACTOR + 1;
    return tooLarge(length, services.maxMessageSize);
  }
  if (error.statusCode !== undefined && error.statusCode < 500) return new RpcError('invalid_argument', 'bad request');
  return rpcErrorOf(error);
}

/** How often connections that have become idle are looked for, in milliseconds. */
const IDLE_SWEEP = 20;

async function stop(app: FastifyInstance, exchange: Exchange, patience: number): Promise<void> {
  exchange.stopping = true;
  const sweep = setInterval(() => app.server.closeIdleConnections(), IDLE_SWEEP);
  const deadline = setTimeout(() => app.server.closeAllConnections(), patience);
  try {
    await app.close();
  } finally {
    clearInterval(sweep);
    clearTimeout(deadline);
  }
}
