import { Metadata, type ServiceError, type StatusObject } from '@grpc/grpc-js';
import { WireWriter } from '../../../proto/codec/wire-writer.js';
import { CODES, type RpcError } from '../../service/rpc-error.js';
import { encodeViolations } from '../violations-message.js';

/** An error as gRPC sends it: code, message, and the details in the trailer `grpc-status-details-bin` (server.md 1.6). */
export function grpcErrorOf(error: RpcError): Partial<StatusObject> & Pick<ServiceError, 'code' | 'details'> {
  const code = CODES[error.code].number;
  if (error.violations.length === 0) return { code, details: error.message };
  const metadata = new Metadata();
  metadata.set('grpc-status-details-bin', encodeStatus(code, error));
  return { code, details: error.message, metadata };
}

/** google.rpc.Status with the violations as its one detail. */
function encodeStatus(code: number, error: RpcError): Buffer {
  const writer = new WireWriter();
  const detail = writer.mark();
  writer.bytesField(2, encodeViolations(error.violations));
  writer.stringField(1, 'type.googleapis.com/buf.validate.Violations');
  writer.messageField(3, detail);
  writer.stringField(2, error.message);
  writer.varintField(1, code);
  return writer.finish();
}
