import type { PolicySource } from '../../proto/gen/audit-messages.js';
import type { CheckCall, PlanCall } from '../service/decider.js';

/** What decided: entries name it, and it is asked for what a decision does not say. */
export interface AuditedBundle {
  readonly policySource: PolicySource;
  /** The derived roles of each resource of a check that did not request them. Absent: entries do not list them. */
  readonly derivedRoles?: ((request: CheckCall) => readonly (readonly string[])[]) | undefined;
  /** The conditions that fail for a request; asked after the reply. Absent: entries have none. */
  readonly evaluationErrors?:
    | ((request: CheckCall | PlanCall) => readonly { readonly expression: string; readonly message: string }[])
    | undefined;
  /** The policies of which a rule was evaluated. Absent: entries do not list them. */
  readonly effectivePolicies?:
    | ((request: CheckCall | PlanCall) => readonly { readonly policy: string; readonly source: string | undefined }[])
    | undefined;
}
