import type { AnyPermissions, Permissions } from '../../runtime/policy/index.js';
import type { AuthzClient, ClientOptions } from './authz-client.js';
import { AuthzError, codeOfStatus, codeOfWord } from './authz-error.js';
import { clientOver } from './client-over.js';
import { type HttpOptions, type HttpProtocol, httpTransport } from './http-transport.js';

/** A client of the Connect protocol, by unary calls in JSON. Throws an AuthzError for an invalid address. */
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
