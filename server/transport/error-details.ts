import { encodeStatus, encodeViolations } from '../../proto/gen/wire/error.js';
import { WireWriter } from '../../proto/wire/writer.js';
import { formatLine, type Violation } from '../../proto/wire/violation.js';
import { CODES, listingAtMost, type RpcError } from '../service/rpc-error.js';

/**
 * The size of all violations in trailers, in bytes. Clients accept 8 KiB of trailers (Java, and the libraries built on
 * C), and reject the whole response when there is more.
 */
const MAX_TRAILERS_SIZE = 6500;

/** An error with only as many of its violations as fit into trailers; the message reports how many were left out. */
export function forTrailers(error: RpcError): RpcError {
  let size = 0;
  let fitting = 0;
  for (const violation of error.violations.first) {
    size += trailersSize(violation);
    if (size > MAX_TRAILERS_SIZE && fitting > 0) break;
    fitting += 1;
  }
  return listingAtMost(error, fitting);
}

/**
 * google.rpc.Status of an error, with its violations as its only detail: the trailer `grpc-status-details-bin`
 * (docs/spec/server.md#form-of-violations).
 */
export function encodeDetails({ code, message, violations }: RpcError): Buffer {
  const writer = new WireWriter();
  const value = encodeViolations({ violations: violations.first }, writer);
  const details = [{ typeUrl: 'type.googleapis.com/buf.validate.Violations', value }];
  return encodeStatus({ code: CODES[code].number, message, details }, writer);
}

/**
 * A violation appears twice: percent-encoded in the message, and as base64 in the details, which also contain the
 * message.
 */
function trailersSize(violation: Violation): number {
  const line = `\n - ${formatLine(violation)}`;
  const encoded = encodeViolations({ violations: [violation] }, new WireWriter());
  return encodeURI(line).length + Math.ceil((4 / 3) * (Buffer.byteLength(line) + encoded.length));
}
