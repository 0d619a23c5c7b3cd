import type { PolicySource } from '../../proto/gen/audit-messages.js';
import type { CheckCall, PlanCall } from '../service/decider.js';

/** What decided: entries name it, and it is asked for what a decision does not say. */
export interface AuditedBundle {
  readonly policySource: PolicySource;
  /**
   * The derived roles that held for each resource of a check whose caller did not ask for them. Absent: entries have
   * none then.
   */
  readonly derivedRoles?: ((request: CheckCall) => readonly (readonly string[])[]) | undefined;
  /** The conditions that fail for a request; asked after the reply. Absent: entries have none. */
  readonly evaluationErrors?:
    | ((request: CheckCall | PlanCall) => readonly { readonly expression: string; readonly message: string }[])
    | undefined;
  /** The policies of which a rule was looked at. Absent: entries have none. */
  readonly effectivePolicies?:
    | ((request: CheckCall | PlanCall) => readonly { readonly policy: string; readonly source: string | undefined }[])
    | undefined;
}
