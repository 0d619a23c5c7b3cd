import type { ReadMessage } from '../../proto/wire/json-scan.js';
import type { WireWriter } from '../../proto/wire/writer.js';
import type { Services } from '../service/services.js';
import type { Code } from '../service/rpc-error.js';
import { malformedOf } from './rpc.js';

/** How the one request and the many responses of a stream are read and written. */
export interface StreamMessages<Request = unknown, Response = unknown> {
  /** Throws a JsonError for JSON that is not such a message. */
  readonly readJson: ReadMessage<Request>;
  readonly printJson: (response: Response) => string;
  /** Throws a WireError for bytes that are not such a message. */
  readonly decode: (bytes: Buffer) => Request;
  readonly encode: (response: Response, writer: WireWriter) => Buffer;
}

/** What an RPC with a stream of responses knows of its call. */
export interface StreamCall {
  /** The header or metadata. */
  readonly authorization: string | undefined;
  /** Aborted when the caller leaves. */
  readonly gone: AbortSignal;
}

/**
 * One RPC with one request and many responses: all that any transport needs to serve it. Watchers are not told of these
 * (docs/spec/server.md#access-entries).
 */
export interface StreamRpc<Request = unknown, Response = unknown> extends StreamMessages<Request, Response> {
  /** The full name of its service. */
  readonly service: string;
  readonly method: string;
  /** A GET of the admin; the parameters of its path are by name. Throws an RpcError for what cannot be read. */
  readonly rest?: {
    readonly path: string;
    readonly read: (parameters: { readonly [name: string]: string }, query: URLSearchParams) => Request;
  };
  /**
   * The responses, created while they are requested. `read` returns the request. Throws, or rejects with, an RpcError.
   */
  readonly run: (services: Services, call: StreamCall, read: () => Request) => AsyncGenerator<Response, void>;
}

/** A request in protobuf. Throws an RpcError. */
export function decodeRequest(rpc: StreamMessages, bytes: Buffer, malformed: Code): unknown {
  try {
    return rpc.decode(bytes);
  } catch (error) {
    throw malformedOf(error, malformed);
  }
}
