import type { RpcError } from '../service/rpc-error.js';

/** The HTTP status of a request that is not allowed: 503 if there is no decision. */
export function toHttpStatus({ code }: RpcError): 401 | 403 | 503 {
  switch (code) {
    case 'unauthenticated':
      return 401;
    case 'permission_denied':
      return 403;
    default:
      return 503;
  }
}
