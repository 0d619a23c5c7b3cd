import type { IncomingMessage } from 'node:http';
import type { ServerInfoResponse } from '../../../proto/gen/messages.js';
import type { AliasConfig } from '../../config/aliases.js';
import { ADMIN_SERVICE, byRelease, type Services } from '../../service/services.js';
import { RpcError } from '../../service/rpc-error.js';
import { restPrinter } from '../alias-printing.js';
import { callHeader } from '../call-header.js';
import { fullName, type Message, type RestRoute, type RestRpc, runJson, runRequest } from '../rpc.js';
import { RPCS } from '../rpcs.js';
import { createRunner } from '../unary-call.js';
import type { HeaderList } from './cors.js';
import { challenge } from './challenge.js';
import { grpcTimeout, isLate } from './deadline.js';
import { type Exchange, JSON_TYPE, readQuery } from './exchange.js';
import { HttpCall } from './http-call.js';
import { isHealthPath } from './health.js';
import type { Handler, Route } from './route.js';

/** The routes of RPCs at their REST paths (docs/spec/server.md#endpoints). */
export function createRestRoutes(rpcs: readonly RestRpc[], exchange: Exchange, services: Services): readonly Route[] {
  return rpcs.map((rpc) => ({
    methods: [rpc.rest.verb],
    path: rpc.rest.path,
    handler: restHandler(rpc, exchange, services),
    isHot: rpc.isHot,
  }));
}

/**
 * Whether a path outside of the admin API supports some method; any other method is answered with "method not allowed".
 */
export function isRestPath(path: string, aliases: readonly AliasConfig[] | undefined): boolean {
  return REST_PATHS.has(path) || isHealthPath(path, aliases);
}

const REST_PATHS: ReadonlySet<string> = new Set(
  RPCS.flatMap(({ service, rest }) => (service === ADMIN_SERVICE ? [] : [rest.path])),
);

/** The RPC of a REST path; undefined if there is none for this method. */
export function restRpc(method: string | undefined, path: string): RestRpc | undefined {
  return RPCS.find(({ rest }) => rest.path === path && rest.verb === method);
}

/** The handler of an RPC at its REST path. Hot: avoids allocations per request (bench: server). */
function restHandler(rpc: RestRpc, exchange: Exchange, services: Services): Handler {
  const { rest } = rpc;
  const print = restPrinter(rpc, services.aliases);
  const method = fullName(rpc);
  const isAdminPost = rpc.service === ADMIN_SERVICE && rest.verb !== 'GET';
  const handled = byRelease((release): HeaderList => [...handledHeaders(release), ...(rest.headers?.(release) ?? [])]);
  const { read } = rest;
  const run = createRunner<HttpCall, string>(services, {
    open: (call) => {
      call.timeout = grpcTimeout(call.request.headers['grpc-timeout']);
      checkMediaType(rest, call.request, isAdminPost);
    },
    run:
      read === undefined
        ? (call, body) => runJson(rpc, services, call, body, print)
        : (call) => runRequest(rpc, services, call, read(readQuery(call.request)) as Message, print),
    isLate,
    answer: (call, json) => {
      const headers = [...handled(services.release), ...callHeader(call)];
      return exchange.sendJson(call.request, call.response, 200, echoed(rest, call.request, headers), json);
    },
    refuse: (call, error) => {
      // Only requests that passed validation report the release (docs/spec/server.md#response-headers).
      const own = call.id === '' ? JSON_TYPE : [...handled(services.release), ...callHeader(call)];
      const headers = echoed(rest, call.request, [...own, ...challenge(error)]);
      return exchange.sendRestError(call.request, call.response, error, headers);
    },
  });
  return (request, response, body) => run(new HttpCall(method, 'rest', request, response), body);
}

/**
 * Requests to the admin API must name theirs: without it, or with that of a form, the page of any site can make a browser
 * send them.
 */
function checkMediaType({ mediaType }: RestRoute, request: IncomingMessage, isAdminPost: boolean): void {
  if (mediaType === undefined && !isAdminPost) return;
  const [type = ''] = (request.headers['content-type'] ?? '').toLowerCase().split(';');
  const expected = mediaType ?? 'application/json';
  if (type.trim() !== expected && (isAdminPost || type.trim() !== ''))
    throw new RpcError('invalid_argument', `the media type must be ${expected}`);
}

/** The headers of handled responses (docs/spec/server.md#response-headers). */
function handledHeaders({ version }: ServerInfoResponse): HeaderList {
  return [...JSON_TYPE, 'Grpc-Metadata-Authz-Version', version, 'Grpc-Metadata-Content-Type', 'application/grpc'];
}

/** Includes the request header that the response repeats. */
function echoed({ echo }: RestRoute, request: IncomingMessage, headers: HeaderList): HeaderList {
  const value = echo === undefined ? undefined : request.headers[echo.toLowerCase()];
  return echo === undefined || value === undefined ? headers : [...headers, echo, String(value)];
}
