import type { IncomingMessage, ServerResponse } from 'node:http';
import { ADMIN_DISABLED, type Services } from '../../service/services.js';
import { RpcError } from '../../service/rpc-error.js';
import { isConnectPath, sendConnectError } from './connect.js';
import { type Exchange, JSON_TYPE, readPath } from './exchange.js';
import { isRestPath } from './rest.js';

/** The responses to unknown paths (docs/spec/server.md#errors): each family of paths has its own error form. */
export function answerUnrouted(
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  { admin, aliases }: Pick<Services, 'admin' | 'aliases'>,
): void {
  const path = readPath(request);
  if (path.includes('//')) {
    exchange.send(request, response, 301, ['Location', cleaned(request.url ?? '/')], '');
  } else if (isConnectPath(path, aliases)) {
    answerConnect(request, response, exchange);
  } else if (isRestPath(path, aliases) || (admin !== undefined && isUnder(path, '/admin'))) {
    // The status of "unimplemented", not 405: clients of the reference PDP expect it.
    exchange.sendJson(request, response, 501, JSON_TYPE, '{"code":12,"message":"Method Not Allowed"}');
  } else if (path.startsWith('/admin')) {
    exchange.sendJson(request, response, 404, JSON_TYPE, JSON.stringify({ code: 12, message: ADMIN_DISABLED }));
  } else if (path.startsWith('/api/playground/')) {
    exchange.sendJson(
      request,
      response,
      404,
      JSON_TYPE,
      '{"code":12,"message":"Playground service is disabled by the configuration"}',
    );
  } else if (isUnder(path, '/api') || isUnder(path, '/access/v1')) {
    exchange.sendRestError(request, response, new RpcError('not_found', 'Not Found'));
  } else {
    exchange.send(
      request,
      response,
      404,
      ['Content-Type', 'text/plain; charset=utf-8', 'X-Content-Type-Options', 'nosniff'],
      '404 page not found\n',
    );
  }
}

function answerConnect(request: IncomingMessage, response: ServerResponse, exchange: Exchange): void {
  if (request.method === 'POST') {
    sendConnectError(request, response, exchange, new RpcError('unimplemented', 'unknown procedure'), { status: 404 });
  } else {
    exchange.send(request, response, 405, ['Allow', 'POST'], '');
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
