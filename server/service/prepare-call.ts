import type { Principal } from '../../proto/gen/messages.js';
import { type BundleChoice, chooseBundle, type Waiting } from './bundle-choice.js';
import type { Call } from './call.js';
import { loadTenants, type TenantService } from './tenants.js';

/** What calls may need before they can be decided. */
interface PreparingService {
  readonly bundles?: BundleChoice | undefined;
  readonly tenants?: TenantService | undefined;
}

/**
 * Gives a call all that is needed to decide about some principals: its bundle, then the documents of tenants that this
 * bundle needs. At once, which returns undefined, if they are there. Throws, or rejects with, an RpcError.
 */
export function prepare({ bundles, tenants }: PreparingService, call: Call, principals: readonly Principal[]): Waiting {
  const choosing =
    bundles &&
    chooseBundle(
      bundles,
      call,
      principals.map(({ id }) => id),
    );
  if (tenants === undefined) return choosing;
  return choosing === undefined
    ? loadTenants(tenants, call, principals)
    : choosing.then(() => loadTenants(tenants, call, principals));
}

/** Goes on when a call is prepared. */
export function prepared<T>(
  service: PreparingService,
  call: Call,
  principals: readonly Principal[],
  goOn: () => T,
): T | Promise<T> {
  const waiting = prepare(service, call, principals);
  return waiting === undefined ? goOn() : waiting.then(goOn);
}
