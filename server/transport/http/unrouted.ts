import type { FastifyReply, FastifyRequest } from 'fastify';
import { ADMIN_DISABLED } from '../../service/services.js';
import { RpcError } from '../../service/rpc-error.js';
import { isConnectPath, sendConnectError } from './connect.js';
import { type Exchange, JSON_TYPE, pathOf } from './exchange.js';
import { REST_PATHS } from './rest.js';

/** The responses to unknown paths (docs/spec/server.md#errors): each family of paths has its own error form. */
export function answerUnrouted(
  request: FastifyRequest,
  reply: FastifyReply,
  exchange: Exchange,
  hasAdmin: boolean,
): void {
  const preflight = exchange.cors.preflight(request.method, request.headers);
  if (preflight !== undefined) {
    answerPreflight(reply, preflight);
    return;
  }
  const path = pathOf(request);
  if (path.includes('//')) {
    exchange.send(request, reply, 301, ['Location', cleaned(request.raw.url ?? '/')], '');
  } else if (isConnectPath(path)) {
    answerConnect(request, reply, exchange);
  } else if (REST_PATHS.has(path) || (hasAdmin && isUnder(path, '/admin'))) {
    // The status of "unimplemented", not 405: clients of the reference PDP expect it.
    exchange.sendJson(request, reply, 501, JSON_TYPE, '{"code":12,"message":"Method Not Allowed"}');
  } else if (path.startsWith('/admin')) {
    exchange.sendJson(request, reply, 404, JSON_TYPE, JSON.stringify({ code: 12, message: ADMIN_DISABLED }));
  } else if (path.startsWith('/api/playground/')) {
    exchange.sendJson(
      request,
      reply,
      404,
      JSON_TYPE,
      '{"code":12,"message":"Playground service is disabled by the configuration"}',
    );
  } else if (isUnder(path, '/api') || isUnder(path, '/access/v1')) {
    exchange.sendRestError(request, reply, new RpcError('not_found', 'Not Found'));
  } else {
    exchange.send(
      request,
      reply,
      404,
      ['Content-Type', 'text/plain; charset=utf-8', 'X-Content-Type-Options', 'nosniff'],
      '404 page not found\n',
    );
  }
}

function answerPreflight(reply: FastifyReply, headers: readonly string[]): void {
  reply.hijack();
  reply.raw.writeHead(204, [...headers]);
  reply.raw.end();
}

function answerConnect(request: FastifyRequest, reply: FastifyReply, exchange: Exchange): void {
  if (request.method === 'POST') {
    sendConnectError(request, reply, exchange, new RpcError('unimplemented', 'unknown procedure'), { status: 404 });
  } else {
    exchange.send(request, reply, 405, ['Allow', 'POST'], '');
  }
}

/** Browsers treat a backslash as a slash, and two of either at the start as the beginning of a host name. */
function cleaned(url: string): string {
  const [path = '', ...query] = url.split('?');
  const single = path.replace(/[\\/]{2,}/g, '/');
  return query.length === 0 ? single : `${single}?${query.join('?')}`;
}

function isUnder(path: string, root: string): boolean {
  return path === root || path.startsWith(`${root}/`);
}
