import type { IncomingMessage } from 'node:http';
import type { Services } from '../service/services.js';
import type { Exchange } from '../transport/http/exchange.js';
import { HttpCall } from '../transport/http/http-call.js';
import type { HttpEndpoints } from '../transport/http/http-server.js';
import { createRunner, type UnaryRunner } from '../transport/unary-call.js';
import type { Gateway, Identity, ProxiedRequest } from './gateway.js';
import { toHttpStatus } from './status.js';

/** The path where proxies ask with the original method and path in headers. */
const FORWARD_AUTH = '/_authz/forward-auth';
/** The path where proxies ask with the original method and, behind this prefix, the original path. */
const EXT_AUTHZ = '/_authz/ext-authz';
const NO_BODY = Buffer.alloc(0);

/**
 * Answers requests of proxies over HTTP with a status and an empty body. It runs before the router and CORS, which would
 * decode paths and answer preflight requests. The body of the original request decides nothing.
 */
export function createGatewayEndpoints(gateway: Gateway, services: Services): HttpEndpoints {
  return (exchange) => {
    const forwardAuth = createProxyRunner(gateway, services, exchange, () => undefined);
    const extAuthz = createProxyRunner(gateway, services, exchange, ({ method = '', url = '' }) => ({
      method,
      target: url.slice(EXT_AUTHZ.length),
    }));
    return (request, response) => {
      const target = request.url ?? '';
      if (target === FORWARD_AUTH || target.startsWith(`${FORWARD_AUTH}?`))
        forwardAuth(new HttpCall('/authz.gateway/ForwardAuth', 'rest', request, response), NO_BODY);
      else if (target.startsWith(`${EXT_AUTHZ}/`))
        extAuthz(new HttpCall('/authz.gateway/ExtAuthz', 'rest', request, response), NO_BODY);
      else return false;
      return true;
    };
  };
}

function createProxyRunner(
  gateway: Gateway,
  services: Services,
  exchange: Exchange,
  lineOf: (request: IncomingMessage) => ProxiedRequest['line'],
): UnaryRunner<HttpCall> {
  const send = ({ request, response }: HttpCall, status: number, identity: Identity): number => {
    const headers = [...identity, ['Content-Length', '0'] as const];
    if (status === 401) headers.push(['WWW-Authenticate', 'Bearer']);
    if (exchange.stopping && request.httpVersionMajor === 1) headers.push(['Connection', 'close']);
    response.writeHead(status, headers.flat());
    response.end();
    request.resume();
    return 0;
  };
  return createRunner<HttpCall, Identity>(services, {
    run: (call) => gateway.decide(call, { headers: readFields(call.request), line: lineOf(call.request) }),
    answer: (call, identity) => send(call, 200, identity),
    refuse: (call, error) => send(call, toHttpStatus(error), gateway.nobody),
  });
}

function* readFields({ rawHeaders }: IncomingMessage): Iterable<readonly [string, string]> {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (!name.startsWith(':')) yield [name, rawHeaders[index + 1] as string];
  }
}
