import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { CheckResourcesResponse, ServerInfoResponse } from '../../../proto/messages.js';
import { checkResources } from '../../service/check-resources.js';
import { RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import { printCheckResourcesResponse } from '../json/print-check-resources.js';
import { limitMessageSize } from '../json/message-limit.js';
import { readCheckResourcesRequest } from '../json/read-check-resources.js';
import type { HeaderList } from './cors.js';
import { checkDeadline, grpcTimeout, type Timeout } from './deadline.js';
import { type Exchange, JSON_TYPE, queryOf } from './exchange.js';

/** The REST paths (server.md 1.1). */
export function addRestRoutes(app: FastifyInstance, exchange: Exchange, services: Services): void {
  const { release, health } = services;
  const handled: HeaderList = [...JSON_TYPE, 'Grpc-Metadata-Authz-Version', release.version, 'Grpc-Metadata-Content-Type', 'application/grpc'];
  const serverInfo = printServerInfo(release);

  app.post('/api/check/resources', (request, reply) => {
    answerCheck(request, reply, exchange, services, handled);
  });

  app.post('/api/plan/resources', (request, reply) => {
    exchange.sendRestError(request, reply, new RpcError('unimplemented', 'PlanResources is not served yet'));
  });

  app.get('/api/server_info', (request, reply) => {
    exchange.sendJson(request, reply, 200, handled, serverInfo);
  });

  app.get('/_authz/health', (request, reply) => {
    const status = health.of(queryOf(request).get('service') ?? '');
    if (status === undefined) exchange.sendRestError(request, reply, new RpcError('not_found', 'unknown service'));
    else if (status === 'SERVING') exchange.sendJson(request, reply, 200, JSON_TYPE, '{"status":"SERVING"}\n');
    else exchange.sendRestError(request, reply, new RpcError('unavailable', 'the server is stopping'));
  });
}

/** Which methods each REST path has; on any other, it says that the method is not allowed. */
export const REST_PATHS: ReadonlySet<string> = new Set([
  '/api/check/resources',
  '/api/plan/resources',
  '/api/server_info',
  '/_authz/health',
]);

function answerCheck(request: FastifyRequest, reply: FastifyReply, exchange: Exchange, services: Services, handled: HeaderList): void {
  const fail = (thrown: unknown, headers: HeaderList): void => exchange.sendRestError(request, reply, rpcErrorOf(thrown), headers);
  const start = performance.now();
  let outcome: CheckResourcesResponse | Promise<CheckResourcesResponse>;
  let timeout: Timeout;
  try {
    timeout = grpcTimeout(request.headers['grpc-timeout']);
    const body = (request.body as Buffer | undefined) ?? NO_BODY;
    const message = readCheckResourcesRequest(body);
    limitMessageSize(message, body.length, services.maxMessageSize);
    outcome = checkResources(services.check, message);
  } catch (thrown) {
    const error = rpcErrorOf(thrown);
    fail(error, error.handled ? handled : JSON_TYPE);
    return;
  }
  const finish = (response: CheckResourcesResponse): void => {
    checkDeadline(start, timeout);
    exchange.sendJson(request, reply, 200, handled, printCheckResourcesResponse(response));
  };
  if (outcome instanceof Promise) {
    outcome.then(finish).catch((thrown) => fail(thrown, handled));
    return;
  }
  try {
    finish(outcome);
  } catch (thrown) {
    fail(thrown, handled);
  }
}

const NO_BODY = Buffer.alloc(0);

/** All three fields are always there: a build without a name says so. */
export function printServerInfo(release: ServerInfoResponse): string {
  const { version, commit, buildDate } = release;
  return JSON.stringify({ version, commit, buildDate });
}
