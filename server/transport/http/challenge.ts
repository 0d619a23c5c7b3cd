import type { RpcError } from '../../service/rpc-error.js';
import type { HeaderList } from './cors.js';

/** The header that asks a caller for the credentials of the admin (docs/spec/server.md#response-headers). */
export function challenge({ code }: RpcError): HeaderList {
  return code === 'unauthenticated' ? ['WWW-Authenticate', 'Basic realm="admin", charset="UTF-8"'] : [];
}
