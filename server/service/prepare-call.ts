import type { Principal } from '../../proto/gen/messages.js';
import { type BundleChoice, withBundle } from './bundle-choice.js';
import type { Call } from './call.js';
import { type TenantService, withTenants } from './tenants.js';

/**
 * Goes on when the call has all that is needed to decide about some principals: its bundle, then the documents of
 * tenants that this bundle needs. At once, if they are there. Throws, or rejects with, an RpcError.
 */
export function prepared<T>(
  service: { readonly bundles?: BundleChoice | undefined; readonly tenants?: TenantService | undefined },
  call: Call,
  principals: readonly Principal[],
  goOn: () => T,
): T | Promise<T> {
  const ids = principals.map(({ id }) => id);
  return withBundle<T>(service, call, ids, () => withTenants(service, call, principals, goOn));
}
