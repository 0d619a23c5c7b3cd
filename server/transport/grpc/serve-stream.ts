import type { Server } from '@grpc/grpc-js';
import type { GrpcStreamHandler } from '../http/http-listener.js';

/**
 * Answers streams of a listener that is not the library's with the handlers of its server. The library takes whole
 * connections from elsewhere (`createConnectionInjector`) but no single streams, and on the HTTP port one connection
 * may carry both gRPC and REST. So the function behind its own listeners is called, which is not declared: its being
 * there is checked at the start, and the version is pinned.
 */
export function grpcStreamHandler(server: Server): GrpcStreamHandler {
  const { _streamHandler: handle } = server as unknown as Partial<LibraryServer>;
  if (handle === undefined) throw new Error('this version of @grpc/grpc-js serves no single streams');
  return (stream, headers) => handle.call(server, [], stream, headers);
}

interface LibraryServer {
  /** Interceptors, stream, headers. */
  readonly _streamHandler: (interceptors: readonly never[], ...stream: Parameters<GrpcStreamHandler>) => void;
}
