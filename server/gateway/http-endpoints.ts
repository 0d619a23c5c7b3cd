import type { IncomingMessage, ServerResponse } from 'node:http';
import { type RpcError, rpcErrorOf } from '../service/rpc-error.js';
import type { Services } from '../service/services.js';
import { HttpCall } from '../transport/http/http-call.js';
import type { HttpEndpoints } from '../transport/http/http-server.js';
import { begin, deliver, end, endFailed } from '../transport/watched-call.js';
import type { Gateway, Identity } from './gateway.js';
import { statusOf } from './status.js';

/** Where proxies ask with the original method and path in headers. */
const FORWARD_AUTH = '/_authz/forward-auth';
/** Where proxies ask with the original method and, behind this prefix, the original path. */
const EXT_AUTHZ = '/_authz/ext-authz';

/**
 * Answers requests of proxies over HTTP with a status and an empty body. It runs before the router and CORS, which would
 * decode paths and answer preflight requests.
 */
export class GatewayEndpoints implements HttpEndpoints {
  constructor(
    private readonly gateway: Gateway,
    private readonly services: Services,
  ) {}

  /** Answers a request to one of the two endpoints. Returns whether it was one. */
  answer(request: IncomingMessage, response: ServerResponse, isStopping: boolean): boolean {
    const target = request.url ?? '';
    const isForwardAuth = target === FORWARD_AUTH || target.startsWith(`${FORWARD_AUTH}?`);
    if (!isForwardAuth && !target.startsWith(`${EXT_AUTHZ}/`)) return false;
    const line = isForwardAuth ? undefined : { method: request.method ?? '', target: target.slice(EXT_AUTHZ.length) };
    this.#decide(request, response, line, isStopping).catch((error) =>
      this.services.report('an answer to a proxy could not be sent', error),
    );
    return true;
  }

  async #decide(
    request: IncomingMessage,
    response: ServerResponse,
    line: { readonly method: string; readonly target: string } | undefined,
    isStopping: boolean,
  ): Promise<void> {
    const { services, gateway } = this;
    const call = new HttpCall(`/authz.gateway/${line === undefined ? 'ForwardAuth' : 'ExtAuthz'}`, 'rest', request);
    begin(services.watchers, call);
    const send = (status: number, identity: Identity): void => {
      const headers = [...identity, ['Content-Length', '0'] as const];
      if (status === 401) headers.push(['WWW-Authenticate', 'Bearer']);
      if (isStopping && request.httpVersionMajor === 1) headers.push(['Connection', 'close']);
      response.writeHead(status, headers.flat());
      response.end();
      // The body of the original request decides nothing.
      request.resume();
    };
    const refuse = (error: RpcError): void => {
      send(statusOf(error), gateway.nobody);
      endFailed(services.watchers, call, error, 0, 0);
    };
    try {
      const identity = await gateway.decide(call, { headers: fieldsOf(request), line });
      const allow = (): void => {
        send(200, identity);
        end(services.watchers, call, 0, 0);
      };
      deliver(services, call, undefined, allow, refuse);
    } catch (thrown) {
      const error = rpcErrorOf(thrown, services.report);
      deliver(services, call, error.code, () => refuse(error), refuse);
    }
  }
}

function* fieldsOf({ rawHeaders }: IncomingMessage): Iterable<readonly [string, string]> {
  for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (!name.startsWith(':')) yield [name, rawHeaders[index + 1] as string];
  }
}
