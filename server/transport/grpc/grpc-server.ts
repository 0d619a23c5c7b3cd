import { logVerbosity, Server, setLogVerbosity } from '@grpc/grpc-js';
import type { Config } from '../../config.js';
import { addExtAuthz, EXT_AUTHZ_SERVICE } from '../../gateway/ext-authz.js';
import type { Gateway } from '../../gateway/gateway.js';
import type { Services } from '../../service/services.js';
import type { ServerTls } from '../../tls/server-tls.js';
import { BodyBudget } from '../body-budget.js';
import type { GrpcStreamHandler } from '../http/http-listener.js';
import { type GrpcListener, grpcListener } from './grpc-listener.js';
import { addReflectionServices, isReflection } from './reflection-service.js';
import { addRpcServices } from './rpc-services.js';
import { addStreamServices } from './stream-services.js';
import { grpcStreamHandler } from './serve-stream.js';

/** The gRPC listener. */
export interface GrpcServer extends GrpcListener {
  /** Answers gRPC requests received by the HTTP listener. */
  readonly handleStream: GrpcStreamHandler;
  /** Whether requests to a path are message streams that may stay open indefinitely. */
  readonly streamsRequest: (path: string) => boolean;
}

/**
 * Creates the gRPC server of a configuration. Without `tls`: plaintext. Without `budget`: incomplete messages have no
 * common limit. Without `gateway`: proxies are not answered.
 */
export function grpcServer(
  config: Pick<Config['server'], 'grpc' | 'http'>,
  services: Services,
  tls?: ServerTls,
  budget = new BodyBudget(0),
  gateway?: Gateway,
): GrpcServer {
  // The library also writes to the console what it reports to its caller.
  setLogVerbosity(logVerbosity.NONE);
  const server = new Server({ 'grpc.max_receive_message_length': config.grpc.maxRecvMsgSizeBytes * MESSAGE_FACTOR });
  addRpcServices(server, services, tls === undefined ? '' : 'tls');
  if (gateway !== undefined) addExtAuthz(server, gateway, services, tls === undefined ? '' : 'tls');
  addStreamServices(server, services);
  addReflectionServices(server, services, gateway === undefined ? [] : [EXT_AUTHZ_SERVICE]);
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
