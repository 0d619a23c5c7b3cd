import type { Caller } from '../service/foreign-page.js';
import type { ReadMessage } from '../../proto/wire/json-scan.js';
import type { WireWriter } from '../../proto/wire/writer.js';
import type { Services } from '../service/services.js';
import type { Code } from '../service/rpc-error.js';
import { toMalformed } from './rpc.js';

/** How the request and the responses of a stream are read and written. */
export interface StreamMessages<Request = unknown, Response = unknown> {
  /** Throws a JsonError for JSON that is not a valid message. */
  readonly readJson: ReadMessage<Request>;
  readonly printJson: (response: Response) => string;
  /** Throws a WireError for bytes that are not a valid message. */
  readonly decode: (bytes: Buffer) => Request;
  readonly encode: (response: Response, writer: WireWriter) => Buffer;
}

/** The view of its call that an RPC with a stream of responses has. */
export interface StreamCall {
  readonly caller: Caller;
  /** Aborted when the caller disconnects. */
  readonly gone: AbortSignal;
}

/**
 * One RPC with one request and many responses: everything that a transport needs to serve it. These are not reported to
 * watchers (docs/spec/server.md#access-entries).
 */
export interface StreamRpc<Request = unknown, Response = unknown> extends StreamMessages<Request, Response> {
  /** The full name of its service. */
  readonly service: string;
  readonly method: string;
  /** A GET of the admin API; its path parameters are passed by name. Throws an RpcError for invalid parameters. */
  readonly rest?: {
    readonly path: string;
    readonly read: (parameters: { readonly [name: string]: string | undefined }, query: URLSearchParams) => Request;
  };
  /** The responses, created on demand. `read` returns the request. Throws, or rejects with, an RpcError. */
  readonly run: (services: Services, call: StreamCall, read: () => Request) => AsyncGenerator<Response, void>;
}

/** A request in protobuf. Throws an RpcError. */
export function decodeRequest(rpc: StreamMessages, bytes: Buffer, malformed: Code): unknown {
  try {
    return rpc.decode(bytes);
  } catch (error) {
    throw toMalformed(error, malformed);
  }
}
