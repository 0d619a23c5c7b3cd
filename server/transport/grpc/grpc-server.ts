import { logVerbosity, Server, setLogVerbosity } from '@grpc/grpc-js';
import type { Config } from '../../config.js';
import type { Services } from '../../service/services.js';
import type { ServerTls } from '../../tls/server-tls.js';
import type { GrpcStreamHandler } from '../http/http-listener.js';
import { type GrpcListener, grpcListener } from './grpc-listener.js';
import { addReflectionServices, isReflection } from './reflection-service.js';
import { addRpcServices } from './rpc-services.js';
import { addStreamServices } from './stream-services.js';
import { grpcStreamHandler } from './serve-stream.js';

/** The gRPC listener. */
export interface GrpcServer extends GrpcListener {
  /** Answers gRPC that came in by the HTTP listener. */
  readonly handleStream: GrpcStreamHandler;
  /** Whether the request to a path is a stream of messages that need not end. */
  readonly streamsRequest: (path: string) => boolean;
}

/** Makes the gRPC server of a configuration. Without `tls`: plaintext. */
export function grpcServer(
  config: Pick<Config['server'], 'grpc' | 'http'>,
  services: Services,
  tls?: ServerTls,
): GrpcServer {
  // The library writes to the console what it also reports to its caller.
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server({ 'grpc.max_receive_message_length': config.grpc.maxRecvMsgSizeBytes * MESSAGE_FACTOR });
  addRpcServices(server, services, tls === undefined ? '' : 'tls');
  addStreamServices(server, services);
  addReflectionServices(server, services);
  return {
    ...grpcListener(server, { ...config.http, ...config.grpc, streamsRequest: isReflection, tls }),
    handleStream: grpcStreamHandler(server),
    streamsRequest: isReflection,
  };
}

/**
 * The limit is measured, reported and watched where all transports do that; the library only keeps what is read within
 * bounds.
 */
const MESSAGE_FACTOR = 2;
