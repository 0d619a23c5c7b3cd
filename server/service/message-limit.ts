import { RpcError } from './rpc-error.js';

/** The refusal of a request that is larger than `limit` bytes. */
export function tooLarge(size: number | string, limit: number): RpcError {
  return new RpcError('resource_exhausted', `grpc: received message larger than max (${size} vs. ${limit})`);
}
