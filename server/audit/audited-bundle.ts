import type { Explanation, TenantDocuments } from '../../runtime/engine/index.js';
import type { ReadSet } from '../../runtime/policy/index.js';
import type { CheckInput, PlanInput, PolicySource } from '../../proto/gen/audit-messages.js';
import type { Principal } from '../../proto/gen/messages.js';
import type { CheckCall, PlanCall } from '../service/decider.js';

/** What decided: entries name it, and it is asked for what a decision does not say. */
export interface AuditedBundle {
  readonly policySource: PolicySource;
  /** What a decision does not say; asked once for an entry, after the reply. Absent: entries lack it. */
  readonly explain?: ((call: CheckCall | PlanCall) => Explanation) | undefined;
  /**
   * The roles of a principal and its actors that documents of tenants define, by tenant. Absent: tenants have none.
   */
  readonly rolesOfTenant?:
    | ((principal: Principal, tenants: TenantDocuments) => ReadonlyMap<string, readonly string[]>)
    | undefined;
  /**
   * What the decisions about an input, and their outputs, can read: for its principal, then for its actors. Absent if the
   * policies were compiled without `--facts`, or entries keep everything.
   */
  readonly readSets?:
    | ((input: CheckInput | PlanInput, tenants: TenantDocuments | undefined) => readonly ReadSet[])
    | undefined;
  /** The derived roles of each resource of a check, where an explanation lacks them. Absent: entries lack them, too. */
  readonly derivedRoles?: ((call: CheckCall) => readonly (readonly string[])[]) | undefined;
}
