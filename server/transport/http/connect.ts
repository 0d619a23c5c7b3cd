import type { IncomingMessage, ServerResponse } from 'node:http';
import { TextTable } from '../../../proto/wire/reader.js';
import { WireWriter } from '../../../proto/wire/writer.js';
import type { AliasConfig } from '../../config/aliases.js';
import { findAlias, serviceNames } from '../../service/aliases.js';
import { refuseAdminCall, type Services } from '../../service/services.js';
import { CODES, RpcError, toRpcError } from '../../service/rpc-error.js';
import { aliasPrinter } from '../alias-printing.js';
import { callHeader } from '../call-header.js';
import { type Codec, fullName, fullNames, type Rpc, runJson, runProto, type UnservedRpc } from '../rpc.js';
import { REFLECTION_SERVICES } from '../reflection-services.js';
import { RPC_SERVICES, RPCS, UNSERVED_RPCS, UNWATCHED_RPCS } from '../rpcs.js';
import { createRunner, type UnaryProtocol, type UnaryRunner } from '../unary-call.js';
import type { HttpPlugin } from './app.js';
import { checkVersion, printConnectError } from './connect-error.js';
import type { HeaderList } from './cors.js';
import { connectTimeout, isLate } from './deadline.js';
import { type Exchange, JSON_TYPE } from './exchange.js';
import { grpcWebHandler, sendGrpcWebError } from './grpc-web.js';
import { isGrpcWeb } from './grpc-web-frames.js';
import { readCaller, HttpCall } from './http-call.js';
import type { Handler, Refusal, Route } from './route.js';
import { addStreamRoutes } from './stream-routes.js';

/** The two ways to write a message. */
type Encoding = 'json' | 'proto';

/** The routes of calls of the Connect protocol over plain POST, in JSON and binary form, and of gRPC-Web calls. */
export function createConnectRoutes(exchange: Exchange, services: Services): readonly Route[] {
  const codec: Codec = { texts: new TextTable(), writer: new WireWriter(), malformed: 'invalid_argument' };
  const refuses = refusesMediaType(exchange);
  const makeRoutes = (rpc: Rpc, served: Services): readonly Route[] => {
    const grpcWeb = grpcWebHandler(rpc, exchange, served, codec);
    const makeRoute = (service: string, print: Rpc['printJson']): Route => {
      const connect = connectHandler(rpc, exchange, served, codec, print);
      const handler: Handler = (request, response, body, parameters) => {
        if (isGrpcWeb(request.headers['content-type'])) grpcWeb(request, response, body, parameters);
        else connect(request, response, body, parameters);
      };
      const path = fullName({ service, method: rpc.method });
      return { methods: ['POST'], path, handler, refuses, isHot: rpc.isHot };
    };
    const aliases = (services.aliases ?? []).flatMap((alias) => {
      const name = findAlias(rpc.service, alias);
      return name === undefined ? [] : [makeRoute(name, aliasPrinter(rpc, alias))];
    });
    return [makeRoute(rpc.service, rpc.printJson), ...aliases];
  };
  return [
    ...RPCS.flatMap((rpc) => makeRoutes(rpc, services)),
    ...UNWATCHED_RPCS.flatMap((rpc) => makeRoutes(rpc, { ...services, watchers: [] })),
  ];
}

/** Streams and refused RPCs over Connect and gRPC-Web. */
export function createConnectPlugin(exchange: Exchange, services: Services): HttpPlugin {
  const refuses = refusesMediaType(exchange);
  return (routes) => {
    addStreamRoutes(routes, exchange, services);
    for (const rpc of UNSERVED_RPCS) {
      const handler = refusalHandler(rpc, exchange, services);
      for (const name of fullNames(rpc, services.aliases)) routes.post(name, handler, refuses);
    }
  };
}

/** Refuses a media type that no protocol with one response has. */
function refusesMediaType(exchange: Exchange): Refusal {
  return (request, response) => {
    const { 'content-type': contentType } = request.headers;
    if (isGrpcWeb(contentType) || chooseEncoding(contentType) !== undefined) return false;
    exchange.send(request, response, 415, ['Accept-Post', UNARY_TYPES], '');
    return true;
  };
}

/** Whether a path is used for Connect calls, known or not. */
export function isConnectPath(path: string, aliases: readonly AliasConfig[] | undefined): boolean {
  return SERVICES.some((service) => serviceNames(service, aliases).some((name) => path.startsWith(`/${name}/`)));
}

/** The error body of Connect: codes are words, details are base64. Returns its size. */
export function sendConnectError(
  request: IncomingMessage,
  response: ServerResponse,
  exchange: Exchange,
  error: RpcError,
  { status, headers = [] }: ConnectErrorOptions = {},
): number {
  return exchange.send(
    request,
    response,
    status ?? CODES[error.code].httpStatus,
    [...JSON_TYPE, ...headers],
    printConnectError(error),
  );
}

interface ConnectErrorOptions {
  /** If it is not the status of the code. */
  readonly status?: number;
  readonly headers?: HeaderList;
}

const UNARY_TYPES = 'application/json, application/proto, application/grpc-web, application/grpc-web-text';
const SERVICES = [...RPC_SERVICES, ...REFLECTION_SERVICES];

function connectHandler(
  rpc: Rpc,
  exchange: Exchange,
  services: Services,
  codec: Codec,
  print: Rpc['printJson'],
): Handler {
  const method = fullName(rpc);
  const makeRunner = (
    encoding: Encoding,
    run: UnaryProtocol<HttpCall, string | Buffer>['run'],
  ): UnaryRunner<HttpCall> =>
    createRunner<HttpCall, string | Buffer>(services, {
      open: openCall,
      run,
      isLate,
      answer: (call, message) =>
        exchange.send(
          call.request,
          call.response,
          200,
          ['Content-Type', `application/${encoding}`, ...callHeader(call)],
          message,
        ),
      refuse: (call, error) =>
        sendConnectError(call.request, call.response, exchange, error, { headers: callHeader(call) }),
    });
  const json = makeRunner('json', (call, body) => runJson(rpc, services, call, body, print));
  const proto = makeRunner('proto', (call, body) => runProto(rpc, services, call, body, codec));
  return (request, response, body) => {
    const run = chooseEncoding(request.headers['content-type']) === 'proto' ? proto : json;
    run(new HttpCall(method, 'connect', request, response), body);
  };
}

/** Answers refused calls, over Connect and gRPC-Web. */
function refusalHandler({ reason }: UnservedRpc, exchange: Exchange, { admin, report }: Services): Handler {
  return (request, response) => {
    const { 'content-type': contentType } = request.headers;
    refuseAdminCall(admin, readCaller(request), reason).catch((thrown) => {
      const error = toRpcError(thrown, report);
      if (isGrpcWeb(contentType)) sendGrpcWebError(request, response, exchange, error);
      else sendConnectError(request, response, exchange, error);
    });
  };
}

/** The codec of the media type; undefined if there is none. */
function chooseEncoding(contentType: string | undefined): Encoding | undefined {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() === 'application/proto') return 'proto';
  if (type.trim() !== 'application/json') return undefined;
  return parameters.every((parameter) => /^\s*(charset="?utf-8"?)?\s*$/.test(parameter)) ? 'json' : undefined;
}

/** Reads the headers of a call. Throws an RpcError for what the protocol, or this server, does not have. */
function openCall(call: HttpCall): void {
  const { headers } = call.request;
  checkVersion(headers);
  const { 'content-encoding': encoding = 'identity' } = headers;
  if (encoding !== 'identity') throw new RpcError('unimplemented', 'unknown compression: supported is identity');
  call.timeout = connectTimeout(headers['connect-timeout-ms']);
}
