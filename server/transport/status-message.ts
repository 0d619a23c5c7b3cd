import { WireWriter } from '../../proto/codec/wire-writer.js';
import { CODES, type RpcError } from '../service/rpc-error.js';
import { encodeViolations } from './violations-message.js';

/** google.rpc.Status of an error, with its violations as the one detail: the trailer `grpc-status-details-bin` (server.md 1.6). */
export function encodeStatus(error: RpcError): Buffer {
  const writer = new WireWriter();
  const detail = writer.mark();
  writer.bytesField(2, encodeViolations(error.violations));
  writer.stringField(1, 'type.googleapis.com/buf.validate.Violations');
  writer.messageField(3, detail);
  writer.stringField(2, error.message);
  writer.varintField(1, CODES[error.code].number);
  return writer.finish();
}
