import { Metadata, type ServiceError, type StatusObject } from '@grpc/grpc-js';
import { CODES, type RpcError } from '../../service/rpc-error.js';
import { encodeDetails, forTrailers } from '../error-details.js';

/**
 * An error as gRPC sends it: code, message, and the details in the trailer `grpc-status-details-bin`
 * (docs/spec/server.md#form-of-violations).
 */
export function toGrpcError(thrown: RpcError): Partial<StatusObject> & Pick<ServiceError, 'code' | 'details'> {
  const error = forTrailers(thrown);
  const code = CODES[error.code].number;
  if (error.violations.count === 0) return { code, details: error.message };
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', encodeDetails(error));
  return { code, details: error.message, metadata };
}
