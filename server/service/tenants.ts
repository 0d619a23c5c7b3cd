import type { TenantDocuments } from '../../runtime/engine/index.js';
import type { Principal } from '../../proto/gen/messages.js';
import type { Waiting } from './bundle-choice.js';
import type { Call, LoadedTenant } from './call.js';
import type { DecidingBundle } from './decider.js';

/** What loads the documents of tenants. */
export interface TenantLoader {
  /** Loads a tenant, at once if it is known. Throws, or rejects with, an RpcError if it cannot be loaded. */
  load(tenant: string): LoadedTenant | Promise<LoadedTenant>;
}

/** The roles of tenants in a service. */
export interface TenantService {
  readonly loader: TenantLoader;
  /** The tenants whose documents a bundle needs to decide about a principal: usually none. */
  readonly neededBy: (principal: Principal, bundle: DecidingBundle | undefined) => readonly string[];
}

/**
 * Loads the documents of tenants that are needed to decide about some principals: at once, which returns undefined, if
 * none is needed or all are known. Throws, or rejects with, an RpcError if one cannot be loaded.
 */
export function loadTenants(
  { loader, neededBy }: TenantService,
  call: Pick<Call, 'tenants' | 'bundle'>,
  principals: readonly Principal[],
): Waiting {
  const loading: Promise<void>[] = [];
  for (const principal of principals) {
    for (const tenant of neededBy(principal, call.bundle)) {
      call.tenants ??= new Map();
      if (call.tenants.has(tenant)) continue;
      const known = call.tenants;
      const loaded = loader.load(tenant);
      if (loaded instanceof Promise) loading.push(loaded.then((late) => void known.set(tenant, late)));
      else known.set(tenant, loaded);
    }
  }
  return loading.length === 0 ? undefined : Promise.all(loading).then(() => {});
}

/** The documents of a call, as engines take them; undefined if it needs none. */
export function provideDocuments({ tenants }: Pick<Call, 'tenants'>): TenantDocuments | undefined {
  return tenants && ((tenant) => tenants.get(tenant)?.document);
}
