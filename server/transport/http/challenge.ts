import type { RpcError } from '../../service/rpc-error.js';
import { TokenRequired } from '../../service/token-subject.js';
import type { HeaderList } from './cors.js';

/** The header that asks a caller for a token, or for the credentials of the admin (docs/spec/server.md#response-headers). */
export function challenge(error: RpcError): HeaderList {
  if (error instanceof TokenRequired) return ['WWW-Authenticate', 'Bearer'];
  return error.code === 'unauthenticated' ? ['WWW-Authenticate', 'Basic realm="admin", charset="UTF-8"'] : [];
}
