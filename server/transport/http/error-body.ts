import { CODES, type RpcError } from '../../service/rpc-error.js';

/**
 * The error body of the REST paths (docs/spec/server.md#form-of-violations, docs/spec/server.md#errors): a numeric
 * code, a message, and the violated rules, if any.
 */
export function printRestError(error: RpcError): string {
  const head = `{"code":${CODES[error.code].number},"message":${JSON.stringify(error.message)}`;
  if (error.violations.count === 0) return `${head}}`;
  const detail = { '@type': 'type.googleapis.com/buf.validate.Violations', violations: error.violations.first };
  return `${head},"details":[${JSON.stringify(detail)}]}`;
}
