import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Services } from '../../service/services.js';
import type { Exchange } from './exchange.js';
import { answerUnrouted } from './unrouted.js';

/**
 * A document that is served for every method (docs/spec/server.md#openapi-and-explorer, docs/spec/server.md#metrics);
 * preflight requests of browsers are answered first.
 */
export function addAnyMethodRoute(
  app: FastifyInstance,
  exchange: Exchange,
  { admin }: Services,
  url: string,
  answer: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  const handler = (request: FastifyRequest, reply: FastifyReply): void => {
    if (exchange.cors.preflight(request.method, request.headers) !== undefined)
      answerUnrouted(request, reply, exchange, admin !== undefined);
    else answer(request, reply);
  };
  app.route({ method: METHODS, url, handler });
}

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
