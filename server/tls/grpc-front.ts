import { type Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js';
import { createServer, type Server, type TLSSocket } from 'node:tls';
import type { ServerTls } from './server-tls.js';

/**
 * A TLS listener before a gRPC server: it ends the encryption and hands the connections on, so that certificates can change and clients with
 * a bad one are cut off; the credentials of the library can do neither. It stops listening when the security is closed.
 */
export function grpcFront(server: GrpcServer, tls: ServerTls, handshakeTimeout: number): Server {
  const injector = server.createConnectionInjector(ServerCredentials.createInsecure());
  const front = createServer({ ...tls.options(), ALPNProtocols: ['h2'], handshakeTimeout });
  tls.guard(front);
  tls.whenClosed(() => front.close());
  front.on('secureConnection', (socket: TLSSocket) => {
    // Who breaks off is gone; the library is told by the end of the connection.
    socket.on('error', () => socket.destroy());
    if (!socket.destroyed) injector.injectConnection(socket);
  });
  return front;
}
