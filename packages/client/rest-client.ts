import type { AnyPermissions, Permissions } from '../../runtime/policy/index.js';
import type { AuthzClient, ClientOptions } from './authz-client.js';
import { AuthzError, codeOfNumber, codeOfStatus } from './authz-error.js';
import { clientOver } from './client-over.js';
import { type HttpOptions, type HttpProtocol, httpTransport } from './http-transport.js';

/**
 * A client of the REST API: for browsers, workers and every platform with `fetch`. Throws an AuthzError for an invalid
 * address.
 *
 * @example
 * import { restClient } from 'authz/client';
 *
 * const client = restClient({ url: 'http://localhost:3592', timeout: 1000 });
 * const principal = { id: 'ann', roles: ['user'] };
 * const resource = { kind: 'contact', id: 'c1' };
 * console.log(await client.isAllowed({ principal, resource, action: 'read' })); // => true
 * await client.close();
 */
export function restClient<P extends Permissions = AnyPermissions>(
  options: HttpOptions & ClientOptions,
): AuthzClient<P> {
  return clientOver(httpTransport(REST, options), options);
}

const REST: HttpProtocol = {
  check: { verb: 'POST', path: '/api/check/resources' },
  plan: { verb: 'POST', path: '/api/plan/resources' },
  serverInfo: { verb: 'GET', path: '/api/server_info' },
  headers: {},
  errorOf: ({ code, message }) =>
    typeof code === 'number' && typeof message === 'string' ? new AuthzError(codeOfNumber(code), message) : undefined,
  codeOf: codeOfStatus,
};
