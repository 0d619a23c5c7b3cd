/** A client over gRPC, for Node: a separate entry point, so that other programs do not load gRPC. */
export { grpcClient, type GrpcOptions } from './grpc/grpc-client.js';
