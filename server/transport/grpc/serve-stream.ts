import type { Server } from '@grpc/grpc-js';
import type { GrpcStreamHandler } from '../http/http-listener.js';

/**
 * Answers streams of another listener with the handlers of the library's server. The library accepts whole connections
 * from elsewhere (`createConnectionInjector`) but not single streams, and on the HTTP port one connection may carry
 * both gRPC and REST. So this calls the function behind the library's own listeners, which is not declared: its
 * presence is checked at startup, and the version is pinned.
 */
export function grpcStreamHandler(server: Server): GrpcStreamHandler {
  const { _streamHandler: handle } = server as unknown as Partial<LibraryServer>;
  if (handle === undefined) throw new Error('this version of @grpc/grpc-js serves no single streams');
  return (stream, headers) => handle.call(server, [], stream, headers);
}

interface LibraryServer {
  /** Parameters: interceptors, stream, headers. */
  readonly _streamHandler: (interceptors: readonly never[], ...stream: Parameters<GrpcStreamHandler>) => void;
}
