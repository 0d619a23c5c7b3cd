import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { TextTable } from '../../../proto/wire/reader.js';
import { WireWriter } from '../../../proto/wire/writer.js';
import { refuseAdminCall, type Services } from '../../service/services.js';
import { CODES, RpcError, rpcErrorOf } from '../../service/rpc-error.js';
import { callHeader } from '../call-header.js';
import { begin, deliver, end, endFailed } from '../watched-call.js';
import { type Codec, fullName, type Rpc, runJson, runProto, type UnservedRpc } from '../rpc.js';
import { REFLECTION_SERVICES } from '../reflection-messages.js';
import { RPC_SERVICES, RPCS, UNSERVED_RPCS, UNWATCHED_RPCS } from '../rpcs.js';
import { checkVersion, printConnectError } from './connect-error.js';
import type { HeaderList } from './cors.js';
import { checkDeadline, connectTimeout } from './deadline.js';
import { type Exchange, JSON_TYPE } from './exchange.js';
import { grpcWebHandler, sendGrpcWebError } from './grpc-web.js';
import { isGrpcWeb } from './grpc-web-frames.js';
import { HttpCall } from './http-call.js';
import { addReflectionRoutes } from './reflection-routes.js';
import { addStreamRoutes } from './stream-routes.js';

/** The two ways to write a message. */
type Encoding = 'json' | 'proto';

/** Calls of the Connect protocol over plain POST, in JSON and binary form, and gRPC-Web calls on the same paths. */
export function addConnectRoutes(app: FastifyInstance, exchange: Exchange, services: Services): void {
  const codec: Codec = { texts: new TextTable(), writer: new WireWriter(), malformed: 'invalid_argument' };
  const add = (rpc: Rpc, served: Services): void => {
    const connect = connectHandler(rpc, exchange, served, codec);
    const grpcWeb = grpcWebHandler(rpc, exchange, served, codec);
    app.post(fullName(rpc), (request, reply) => {
      if (isGrpcWeb(request.headers['content-type'])) grpcWeb(request, reply);
      else connect(request, reply);
    });
  };
  for (const rpc of RPCS) add(rpc, services);
  for (const rpc of UNWATCHED_RPCS) add(rpc, { ...services, watchers: [] });
  addStreamRoutes(app, exchange, services);
  for (const rpc of UNSERVED_RPCS) app.post(fullName(rpc), refusalHandler(rpc, exchange, services));
  addReflectionRoutes(app, exchange, services);
}

/** Whether a path is used for Connect calls, known or not. */
export function isConnectPath(path: string): boolean {
  return PREFIXES.some((prefix) => path.startsWith(prefix));
}

/** The error body of Connect: codes are words, details are base64. Returns its size. */
export function sendConnectError(
  request: FastifyRequest,
  reply: FastifyReply,
  exchange: Exchange,
  error: RpcError,
  { status, headers = [] }: ConnectErrorOptions = {},
): number {
  return exchange.send(
    request,
    reply,
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

/** The response to a media type without a codec. */
export function refuseMediaType(request: FastifyRequest, reply: FastifyReply, exchange: Exchange): void {
  exchange.send(
    request,
    reply,
    415,
    ['Accept-Post', 'application/json, application/proto, application/grpc-web, application/grpc-web-text'],
    '',
  );
}

const PREFIXES = [...RPC_SERVICES, ...REFLECTION_SERVICES].map((service) => `/${service}/`);
const NO_BODY = Buffer.alloc(0);

function connectHandler(
  rpc: Rpc,
  exchange: Exchange,
  services: Services,
  codec: Codec,
): (request: FastifyRequest, reply: FastifyReply) => void {
  const { watchers, report } = services;
  const method = fullName(rpc);
  return (request, reply) => {
    const encoding = encodingOf(request.headers['content-type']);
    if (encoding === undefined) {
      refuseMediaType(request, reply, exchange);
      return;
    }
    const call = new HttpCall(method, 'connect', request.raw);
    begin(watchers, call);
    const body = (request.body as Buffer | undefined) ?? NO_BODY;
    const refuse = (error: RpcError): void => {
      const size = sendConnectError(request, reply, exchange, error, { headers: callHeader(call) });
      endFailed(watchers, call, error, body.length, size);
    };
    const fail = (thrown: unknown): void => {
      const error = rpcErrorOf(thrown, report);
      deliver(services, call, error.code, () => refuse(error), refuse);
    };
    const answer = (message: string | Buffer): void => {
      const size = exchange.send(
        request,
        reply,
        200,
        ['Content-Type', `application/${encoding}`, ...callHeader(call)],
        message,
      );
      end(watchers, call, body.length, size);
    };
    const finish = (message: string | Buffer): void => {
      checkDeadline(call.start, connectTimeout(request.headers['connect-timeout-ms']));
      deliver(services, call, undefined, () => answer(message), refuse);
    };
    try {
      checkProtocol(request);
      const outcome =
        encoding === 'json' ? runJson(rpc, services, call, body) : runProto(rpc, services, call, body, codec);
      if (outcome instanceof Promise) outcome.then(finish).catch(fail);
      else finish(outcome);
    } catch (thrown) {
      fail(thrown);
    }
  };
}

/** Answers refused calls, over Connect and gRPC-Web. */
function refusalHandler(
  { reason }: UnservedRpc,
  exchange: Exchange,
  { admin, report }: Services,
): (request: FastifyRequest, reply: FastifyReply) => void {
  return (request, reply) => {
    const { authorization, 'content-type': contentType } = request.headers;
    const isConnect = !isGrpcWeb(contentType);
    if (isConnect && encodingOf(contentType) === undefined) {
      refuseMediaType(request, reply, exchange);
      return;
    }
    refuseAdminCall(admin, authorization, reason).catch((thrown) => {
      const error = rpcErrorOf(thrown, report);
      if (isConnect) sendConnectError(request, reply, exchange, error);
      else sendGrpcWebError(request, reply, exchange, error);
    });
  };
}

/** The codec of the media type; undefined if there is none. */
function encodingOf(contentType: string | undefined): Encoding | undefined {
  const [type = '', ...parameters] = (contentType ?? '').toLowerCase().split(';');
  if (type.trim() === 'application/proto') return 'proto';
  if (type.trim() !== 'application/json') return undefined;
  return parameters.every((parameter) => /^\s*(charset="?utf-8"?)?\s*$/.test(parameter)) ? 'json' : undefined;
}

function checkProtocol(request: FastifyRequest): void {
  checkVersion(request.headers);
  const { 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding !== 'identity') throw new RpcError('unimplemented', 'unknown compression: supported is identity');
  connectTimeout(request.headers['connect-timeout-ms']);
}
