import { type ChannelOptions, logVerbosity, Server, setLogVerbosity } from '@grpc/grpc-js';
import type { Config } from '../../config.js';
import { ADMIN_SERVICE, type Services } from '../../service/services.js';
import type { GrpcStreamHandler } from '../http/http-listener.js';
import { RPC_SERVICES } from '../rpcs.js';
import { addAdminService } from './admin-service.js';
import { addHealthService, HEALTH_SERVICE } from './health-service.js';
import { addReflectionServices } from './reflection-service.js';
import { addRpcServices } from './rpc-services.js';
import { grpcStreamHandler } from './serve-stream.js';

/** How calls reach the server: what encrypts is before it. */
export type TransportSecurity = 'plaintext' | 'tls';

/** The gRPC listener. */
export interface GrpcServer {
  readonly server: Server;
  /** Answers gRPC that came in by the HTTP listener. */
  readonly handleStream: GrpcStreamHandler;
  /** Accepts nothing more and resolves when all calls under way are answered, or after `patience` milliseconds. */
  readonly stop: (patience: number) => Promise<void>;
}

/** Makes the gRPC server of a configuration; it does not listen yet. */
export function grpcServer(config: Config['server']['grpc'], services: Services, security: TransportSecurity = 'plaintext'): GrpcServer {
  // The library writes to the console what it also reports to its caller.
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server(channelOptions(config));
  addRpcServices(server, services, security === 'tls' ? 'tls' : '');
  addHealthService(server, services.health);
  if (services.admin !== undefined) addAdminService(server, services.admin, services.report);
  addReflectionServices(server, [...RPC_SERVICES, ...(services.admin === undefined ? [] : [ADMIN_SERVICE]), HEALTH_SERVICE]);
  return { server, handleStream: grpcStreamHandler(server), stop: (patience) => stop(server, patience) };
}

/** The limit is measured, reported and watched where all transports do that; the library only keeps what is read within bounds. */
const MESSAGE_FACTOR = 2;

function channelOptions(config: Config['server']['grpc']): ChannelOptions {
  return {
    'grpc.max_receive_message_length': config.maxRecvMsgSizeBytes * MESSAGE_FACTOR,
    // 0 is no limit to those who configure, and none at all to the library.
    ...(config.maxConcurrentStreams > 0 && { 'grpc.max_concurrent_streams': config.maxConcurrentStreams }),
    ...(config.maxConnectionAge > 0 && { 'grpc.max_connection_age_ms': config.maxConnectionAge }),
  };
}

function stop(server: Server, patience: number): Promise<void> {
  return new Promise((resolve) => {
    const deadline = setTimeout(() => server.forceShutdown(), patience);
    server.tryShutdown(() => {
      clearTimeout(deadline);
      resolve();
    });
  });
}
