import { type TextTable, WireError } from '../../proto/wire/reader.js';
import type { WireWriter } from '../../proto/wire/writer.js';
import type { RequestContext, ServerInfoResponse } from '../../proto/gen/messages.js';
import { type ReadMessage, readDocument } from '../../proto/wire/json-scan.js';
import { JsonError } from '../../proto/wire/json-shape.js';
import type { AliasConfig } from '../config/aliases.js';
import { serviceNames } from '../service/aliases.js';
import { type Code, RpcError, tooLarge } from '../service/rpc-error.js';
import type { Services } from '../service/services.js';
import type { TransportCall } from './transport-call.js';

/** One RPC with one request and one response: everything that a transport needs to serve it. */
export interface Rpc<Request = Message, Response = unknown> {
  /** The full name of its service. */
  readonly service: string;
  readonly method: string;
  /** Throws a JsonError for JSON that is not a valid message. */
  readonly readJson: ReadMessage<Request>;
  readonly printJson: (response: Response) => string;
  /** Throws a WireError for bytes that are not a valid message. */
  readonly decode: (bytes: Buffer, texts: TextTable) => Request;
  readonly encode: (response: Response, writer: WireWriter) => Buffer;
  /** Size of the protobuf encoding, in bytes. */
  readonly sizeOf: (request: Request) => number;
  /** Whether most calls are of this RPC: over HTTP, it is answered before Fastify. */
  readonly isHot?: boolean;
  /** Throws, or rejects with, an RpcError. */
  readonly run: (services: Services, call: TransportCall, request: Request) => Response | Promise<Response>;
}

/** An RPC that is also served at a REST path. */
export interface RestRpc<Request = Message, Response = unknown> extends Rpc<Request, Response> {
  readonly rest: RestRoute<Request>;
  /** If the REST form differs. */
  readonly printRestJson?: (response: Response) => string;
}

export interface RestRoute<Request = unknown> {
  readonly verb: 'GET' | 'POST';
  readonly path: string;
  /** Reads the request from the query. Absent: the body is the request. Throws an RpcError for an invalid value. */
  readonly read?: (parameters: URLSearchParams) => Request;
  /** The only media type that a request may declare; absent: any (docs/spec/server.md#json-mapping). */
  readonly mediaType?: string;
  /** A request header that the response repeats. */
  readonly echo?: string;
  /** Names and values, alternating, of headers that handled responses have in addition to those of all RPCs. */
  readonly headers?: (release: ServerInfoResponse) => readonly string[];
}

/** An RPC that reflection describes and the server refuses. */
export interface UnservedRpc extends Pick<Rpc, 'service' | 'method'> {
  readonly reason: string;
}

/** The view of a request that transports have. */
export interface Message {
  readonly requestContext?: RequestContext | undefined;
}

/** The protobuf reader and writer of a transport. */
export interface Codec {
  readonly texts: TextTable;
  readonly writer: WireWriter;
  /** The code for malformed bytes. */
  readonly malformed: Code;
}

/** `/authz.svc.v1.AuthzService/CheckResources`. */
export function fullName({ service, method }: Pick<Rpc, 'service' | 'method'>): string {
  return `/${service}/${method}`;
}

/** The names under which an RPC is served: its own first, then those of aliases. */
export function fullNames(
  { service, method }: Pick<Rpc, 'service' | 'method'>,
  aliases: readonly AliasConfig[] | undefined,
): readonly string[] {
  return serviceNames(service, aliases).map((name) => fullName({ service: name, method }));
}

/** Answers JSON with JSON. Hot: synchronous unless tokens must be verified, and avoids allocations (bench: server). */
export function runJson(
  rpc: Rpc,
  services: Services,
  call: TransportCall,
  body: Buffer,
  print = rpc.printJson,
): string | Promise<string> {
  const request = readJsonRequest(rpc.readJson, body);
  call.requestContext = request.requestContext;
  limitMessageSize(request, rpc.sizeOf, body.length, services.maxMessageSize);
  return runRequest(rpc, services, call, request, print);
}

/** Answers a request that has been read with JSON. */
export function runRequest(
  rpc: Rpc,
  services: Services,
  call: TransportCall,
  request: Message,
  print = rpc.printJson,
): string | Promise<string> {
  const outcome = rpc.run(services, call, request);
  return outcome instanceof Promise ? outcome.then((response) => printed(print, response)) : printed(print, outcome);
}

/** A response in JSON. Throws an RpcError for a response with a value that JSON cannot represent. */
function printed<Response>(print: (response: Response) => string, response: Response): string {
  try {
    return print(response);
  } catch (error) {
    throw error instanceof JsonError ? new RpcError('internal', error.message) : error;
  }
}

/** Answers protobuf with protobuf, in the same way. */
export function runProto(
  rpc: Rpc,
  services: Services,
  call: TransportCall,
  bytes: Buffer,
  codec: Codec,
): Buffer | Promise<Buffer> {
  if (bytes.length > services.maxMessageSize) throw tooLarge(bytes.length, services.maxMessageSize);
  const request = decode(rpc, bytes, codec);
  call.requestContext = request.requestContext;
  const outcome = rpc.run(services, call, request);
  return outcome instanceof Promise
    ? outcome.then((response) => rpc.encode(response, codec.writer))
    : rpc.encode(outcome, codec.writer);
}

/** A request body in JSON; an empty one is an empty message. Throws an RpcError for any other message. */
export function readJsonRequest<Request>(read: ReadMessage<Request>, body: Buffer): Request {
  try {
    return readDocument(body, read);
  } catch (error) {
    throw error instanceof JsonError ? new RpcError('invalid_argument', error.message) : error;
  }
}

/** The error for callers: a WireError becomes an RpcError, with the protocol's code for malformed bytes. */
export function toMalformed(thrown: unknown, malformed: Code): unknown {
  return thrown instanceof WireError ? new RpcError(malformed, `malformed message: ${thrown.message}`) : thrown;
}

function decode(rpc: Rpc, bytes: Buffer, { texts, malformed }: Codec): Message {
  try {
    return rpc.decode(bytes, texts);
  } catch (error) {
    throw toMalformed(error, malformed);
  }
}

/** Converting JSON to protobuf never multiplies its length by more than this: `0,` becomes eleven bytes. */
const MAX_GROWTH = 8;

/**
 * Refuses a JSON request of `length` bytes whose protobuf form is too large: the limit applies to that form
 * (docs/spec/server.md#limits-and-deadlines).
 */
function limitMessageSize<Request>(
  request: Request,
  sizeOf: (request: Request) => number,
  length: number,
  limit: number,
): void {
  if (length * MAX_GROWTH <= limit) return;
  const size = sizeOf(request);
  if (size > limit) throw tooLarge(size, limit);
}
