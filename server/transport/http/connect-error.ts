import type { IncomingHttpHeaders } from 'node:http';
import { encodeViolations } from '../../../proto/gen/wire/error.js';
import { WireWriter } from '../../../proto/wire/writer.js';
import { RpcError } from '../../service/rpc-error.js';

/** An error as Connect writes it: codes are words, details are base64. */
export function printConnectError({ code, message, violations }: RpcError): string {
  if (violations.count === 0) return JSON.stringify({ code, message });
  const debug = { violations: violations.first };
  const value = encodeViolations(debug, new WireWriter()).toString('base64').replace(/=+$/, '');
  const detail = { type: 'buf.validate.Violations', value, debug };
  return JSON.stringify({ code, message, details: [detail] });
}

/** Throws an RpcError for an unsupported protocol version. */
export function checkVersion({ 'connect-protocol-version': version = '1' }: IncomingHttpHeaders): void {
  if (version !== '1') throw new RpcError('invalid_argument', 'connect-protocol-version must be 1');
}
