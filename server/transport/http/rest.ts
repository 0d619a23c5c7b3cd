import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServerInfoResponse } from '../../../proto/messages.js';
import { checkResources } from '../../service/check-resources.js';
import { tooLarge } from '../../service/message-limit.js';
import { planResources } from '../../service/plan-resources.js';
import { RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import type { Services } from '../../service/services.js';
import { printCheckResourcesResponse } from '../json/print-check-resources.js';
import { printPlanResourcesResponse } from '../json/print-plan-resources.js';
import { limitMessageSize } from '../json/message-limit.js';
import { readCheckResourcesRequest } from '../json/read-check-resources.js';
import { readPlanResourcesRequest } from '../json/read-plan-resources.js';
import type { HeaderList } from './cors.js';
import { checkDeadline, grpcTimeout, type Timeout } from './deadline.js';
import { type Exchange, JSON_TYPE, queryOf } from './exchange.js';

/** The REST paths (server.md 1.1). */
export function addRestRoutes(app: FastifyInstance, exchange: Exchange, services: Services): void {
  const { release, health } = services;
  const handled: HeaderList = [...JSON_TYPE, 'Grpc-Metadata-Authz-Version', release.version, 'Grpc-Metadata-Content-Type', 'application/grpc'];
  const serverInfo = printServerInfo(release);
  const check = checkCall(services);
  const plan = planCall(services);

  app.post('/api/check/resources', (request, reply) => {
    answer(request, reply, exchange, handled, check);
  });

  app.post('/api/plan/resources', (request, reply) => {
    answer(request, reply, exchange, handled, plan);
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

/** What a call does with a body: the answer as JSON. Throws, or rejects with, an RpcError. */
type Call = (body: Buffer) => string | Promise<string>;

/** How checks are answered. Hot: nothing is made per request that need not be. */
const checkCall = (services: Services): Call => (body) => {
  const message = readCheckResourcesRequest(body);
  limitMessageSize(message, body.length, services.maxMessageSize);
  const outcome = checkResources(services.check, message);
  return outcome instanceof Promise ? outcome.then(printCheckResourcesResponse) : printCheckResourcesResponse(outcome);
};

const planCall = (services: Services): Call => (body) => {
  if (body.length > services.maxMessageSize) throw tooLarge(body.length, services.maxMessageSize);
  const outcome = planResources(services.check, readPlanResourcesRequest(body));
  return outcome instanceof Promise ? outcome.then(printPlanResourcesResponse) : printPlanResourcesResponse(outcome);
};

function answer(request: FastifyRequest, reply: FastifyReply, exchange: Exchange, handled: HeaderList, call: Call): void {
  const fail = (thrown: unknown, headers: HeaderList): void => exchange.sendRestError(request, reply, rpcErrorOf(thrown), headers);
  const start = performance.now();
  let outcome: string | Promise<string>;
  let timeout: Timeout;
  try {
    timeout = grpcTimeout(request.headers['grpc-timeout']);
    outcome = call((request.body as Buffer | undefined) ?? NO_BODY);
  } catch (thrown) {
    const error = rpcErrorOf(thrown);
    fail(error, error.handled ? handled : JSON_TYPE);
    return;
  }
  const finish = (json: string): void => {
    checkDeadline(start, timeout);
    exchange.sendJson(request, reply, 200, handled, json);
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
