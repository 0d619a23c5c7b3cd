import type { ActionOf, KindOf, Permissions, PlannedResourceOf, PrincipalOf, ResourceOf } from '../policy/index.js';
import type { AuxDataInput, PlanResult, TenantDocuments } from './requests.js';

/** Whether an action is allowed on a row, by what is known of the row. `conditional`: it may be allowed or denied. */
export type Capability = 'allowed' | 'denied' | 'conditional';

/** What engines with `capabilities()` decide about many rows and actions. */
export interface CapabilityEngine<P extends Permissions> {
  /**
   * Tells for each row which of several actions `isAllowed` allows. With `partial: true`, the attributes that a row
   * does not list are unknown, not missing, and so is its id; that needs policies with plans. Throws unless the engine
   * uses `capabilities()`.
   */
  capabilities<K extends KindOf<P>, A extends ActionOf<P, K>>(
    request: CapabilitiesRequest<P, K, A>,
  ): readonly { readonly [Action in A]: boolean }[];
  capabilities<K extends KindOf<P>, A extends ActionOf<P, K>>(
    request: PartialCapabilitiesRequest<P, K, A>,
  ): readonly { readonly [Action in A]: Capability }[];
  /**
   * A plan for each action, all of one query, for columns that say what is allowed: `renderCapabilities` and the
   * adapters. Throws unless the engine uses `capabilities()`.
   */
  planCapabilities<K extends KindOf<P>, A extends ActionOf<P, K>>(
    request: PlanCapabilitiesRequest<P, K, A>,
  ): { readonly [Action in A]: PlanResult };
}

/** A principal, a kind of resources and actions. */
interface ActionsRequest<P extends Permissions, K extends KindOf<P>, A extends ActionOf<P, K>> {
  readonly principal: PrincipalOf<P, K>;
  /** One or more actions; unique. */
  readonly actions: readonly A[];
  readonly auxData?: AuxDataInput | undefined;
  /** Tenants as in a check. */
  readonly tenants?: TenantDocuments | undefined;
}

/** Which of several actions are allowed on each of several rows. */
export interface CapabilitiesRequest<P extends Permissions, K extends KindOf<P>, A extends ActionOf<P, K>>
  extends ActionsRequest<P, K, A> {
  /** The kind of all rows, and the scope and version of those that have none. */
  readonly resource: Omit<PlannedResourceOf<P, K>, 'attr'>;
  readonly rows: readonly RowOf<P, K>[];
  readonly partial?: false | undefined;
}

/** The same about rows of which only some attributes are known. */
export interface PartialCapabilitiesRequest<P extends Permissions, K extends KindOf<P>, A extends ActionOf<P, K>>
  extends Omit<CapabilitiesRequest<P, K, A>, 'rows' | 'partial'> {
  readonly rows: readonly PartialRowOf<P, K>[];
  readonly partial: true;
}

/** A resource without its kind. */
export type RowOf<P extends Permissions, K extends KindOf<P>> = Omit<ResourceOf<P, K>, 'kind'>;

/** What is known of a resource. */
export type PartialRowOf<P extends Permissions, K extends KindOf<P>> = Omit<PlannedResourceOf<P, K>, 'kind'> & {
  readonly id?: string | undefined;
};

/** The resources of several plans. */
export interface PlanCapabilitiesRequest<P extends Permissions, K extends KindOf<P>, A extends ActionOf<P, K>>
  extends ActionsRequest<P, K, A> {
  /** Resource as in a plan: all resources have the given attributes. */
  readonly resource: PlannedResourceOf<P, K>;
}
