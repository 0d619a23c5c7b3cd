/** A client over gRPC, for Node: an entry of its own, so that nobody else loads gRPC. */
export { grpcClient, type GrpcOptions } from './grpc/grpc-client.js';
