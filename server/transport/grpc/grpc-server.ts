import { logVerbosity, Server, setLogVerbosity } from '@grpc/grpc-js';
import type { Config } from '../../config.js';
import type { Services } from '../../service/services.js';
import type { ServerTls } from '../../tls/server-tls.js';
import { BodyBudget } from '../body-budget.js';
import type { GrpcStreams } from '../grpc-streams.js';
import { type GrpcListener, grpcListener } from './grpc-listener.js';
import { addReflectionServices, isReflection } from './reflection-service.js';
import { addRpcServices } from './rpc-services.js';
import { addStreamServices } from './stream-services.js';
import { grpcStreamHandler } from './serve-stream.js';

/** The gRPC listener, which also answers the gRPC requests that the HTTP listener receives. */
export interface GrpcServer extends GrpcListener, GrpcStreams {}

/** A service that the gRPC server answers besides those of `RPCS`. */
export interface GrpcPlugin {
  /** The full name of the service, for reflection. */
  readonly service: string;
  /** `authInfo` names the transport security of connections: `tls`, or empty. */
  readonly addTo: (server: Server, authInfo: string) => void;
}

/**
 * Creates the gRPC server of a configuration. Without `tls`: plaintext. Without `budget`: incomplete messages have no
 * common limit.
 */
export function grpcServer(
  config: Pick<Config['server'], 'grpc' | 'http'>,
  services: Services,
  tls?: ServerTls,
  budget = new BodyBudget(0),
  plugins: readonly GrpcPlugin[] = [],
): GrpcServer {
  // The library also writes to the console what it reports to its caller.
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server({ 'grpc.max_receive_message_length': config.grpc.maxRecvMsgSizeBytes * MESSAGE_FACTOR });
  const authInfo = tls === undefined ? '' : 'tls';
  addRpcServices(server, services, authInfo);
  for (const { addTo } of plugins) addTo(server, authInfo);
  addStreamServices(server, services);
  addReflectionServices(
    server,
    services,
    plugins.map(({ service }) => service),
  );
  const handleStream = grpcStreamHandler(server, budget);
  return {
    ...grpcListener(handleStream, { ...config.http, ...config.grpc, streamsRequest: isReflection, tls }),
    handleStream,
    streamsRequest: isReflection,
  };
}

/**
 * The limit is measured, reported and watched in code that all transports share; the library only bounds what is read.
 */
const MESSAGE_FACTOR = 2;
