import type { AnyPermissions, Permissions } from '../../runtime/policy/index.js';
import type { AuthzClient, ClientOptions } from './authz-client.js';
import { AuthzError, codeOfStatus, codeOfWord } from './authz-error.js';
import { clientOver } from './client-over.js';
import { type HttpOptions, type HttpProtocol, httpTransport } from './http-transport.js';

/**
 * A client of the Connect protocol, by unary calls in JSON. Throws an AuthzError for an invalid address.
 *
 * @example
 * import { connectClient } from 'authz/client';
 *
 * const client = connectClient({ url: 'http://localhost:3592', timeout: 1000 });
 * const principal = { id: 'ann', roles: ['user'] };
 * const resource = { kind: 'contact', id: 'c1' };
 * console.log(await client.isAllowed({ principal, resource, action: 'read' })); // => true
 * await client.close();
 */
export function connectClient<P extends Permissions = AnyPermissions>(
  options: HttpOptions & ClientOptions,
): AuthzClient<P> {
  return clientOver(httpTransport(CONNECT, options), options);
}

const CONNECT: HttpProtocol = {
  check: { verb: 'POST', path: '/authz.svc.v1.AuthzService/CheckResources' },
  plan: { verb: 'POST', path: '/authz.svc.v1.AuthzService/PlanResources' },
  serverInfo: { verb: 'POST', path: '/authz.svc.v1.AuthzService/ServerInfo' },
  headers: { 'connect-protocol-version': '1' },
  errorOf: ({ code, message }) => {
    const word = codeOfWord(code);
    return word === undefined ? undefined : new AuthzError(word, typeof message === 'string' ? message : '');
  },
  codeOf: codeOfStatus,
};
