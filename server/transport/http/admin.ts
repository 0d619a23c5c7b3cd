import { Readable } from 'node:stream';
import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  ADMIN_SERVICE,
  type AdminService,
  COMPILED_IN,
  refuseAdminCall,
  type Services,
} from '../../service/services.js';
import { type Report, type RpcError, toRpcError } from '../../service/rpc-error.js';
import { printRestError } from './error-body.js';
import { RPCS, STREAM_RPCS } from '../rpcs.js';
import type { StreamRpc } from '../stream-rpc.js';
import type { HttpPlugin } from './app.js';
import { challenge } from './challenge.js';
import { type Exchange, JSON_TYPE, readQuery } from './exchange.js';
import { readCaller } from './http-call.js';
import { createRestRoutes } from './rest.js';
import { streamCall } from './stream-routes.js';

/**
 * The admin API (docs/spec/server.md#endpoints, docs/spec/server.md#admin-authentication): the caller is
 * authenticated first, whatever the path. Only the audit log can be read: policies and schemas are part of the build,
 * and a server that could change them would be a different server.
 */
export function createAdminPlugin(admin: AdminService, exchange: Exchange, services: Services): HttpPlugin {
  const { report } = services;
  return (routes) => {
    for (const route of createRestRoutes(ADMIN_RPCS, exchange, services)) routes.add(route);
    for (const rpc of STREAM_RPCS) {
      const { rest } = rpc;
      if (rest === undefined) continue;
      routes.get(rest.path, (request, response, _body, parameters) => {
        const read = (): unknown => rest.read(parameters, readQuery(request));
        const responses = rpc.run(services, streamCall(request, response), read);
        stream(rpc, responses, request, response, exchange, report).catch((thrown) =>
          sendStreamError(request, response, exchange, toRpcError(thrown, report)),
        );
      });
    }
    const handler = (request: IncomingMessage, response: ServerResponse): void => {
      refuseAdminCall(admin, readCaller(request), COMPILED_IN).catch((thrown) => {
        const error = toRpcError(thrown, report);
        exchange.sendRestError(request, response, error, [...JSON_TYPE, ...challenge(error)]);
      });
    };
    routes.add({ methods: ['GET', 'POST', 'PUT', 'DELETE'], path: '/admin/*', handler });
  };
}

const ADMIN_RPCS = RPCS.filter(({ service }) => service === ADMIN_SERVICE);

async function stream(
  rpc: StreamRpc,
  responses: AsyncGenerator<unknown, void>,
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  report: Report,
): Promise<void> {
  const first = await responses.next();
  // Until the first response exists, the status can still report a failure.
  if (first.done === true) exchange.send(request, response, 200, [], '');
  else
    exchange.stream(
      request,
      response,
      200,
      ['Content-Type', 'application/x-ndjson'],
      Readable.from(lines(rpc, first.value, responses, report)),
    );
}

async function* lines(
  rpc: StreamRpc,
  first: unknown,
  rest: AsyncIterable<unknown>,
  report: Report,
): AsyncIterable<string> {
  const line = (response: unknown): string => `{"result":${rpc.printJson(response)}}\n`;
  try {
    yield line(first);
    for await (const response of rest) yield line(response);
  } catch (thrown) {
    yield `{"error":${printRestError(toRpcError(thrown, report))}}\n`;
  }
}

function sendStreamError(
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  error: RpcError,
): void {
  exchange.sendStreamError(request, response, error, [...JSON_TYPE, ...challenge(error)]);
}
